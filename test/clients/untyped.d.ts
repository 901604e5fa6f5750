/** The little that the tests use of packages that come without types. */
declare module 'express' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export interface Request extends IncomingMessage {
    readonly query: Readonly<Record<string, string | undefined>>;
    readonly user?: unknown;
    logout(done: (error?: unknown) => void): void;
  }
  export interface Response extends ServerResponse {
    status(code: number): Response;
    json(value: unknown): void;
    redirect(location: string): void;
  }
  export type Handler = (request: Request, response: Response, next: (error?: unknown) => void) => unknown;
  export type FaultHandler = (
    fault: unknown,
    request: Request,
    response: Response,
    next: (error?: unknown) => void,
  ) => unknown;
  export interface Express extends RequestListener {
    use(...handlers: readonly (Handler | FaultHandler)[]): Express;
    get(path: string, ...handlers: readonly Handler[]): Express;
  }
  export default function express(): Express;
}

declare module 'express-session' {
  import type { Handler } from 'express';

  export default function session(options: {
    readonly name: string;
    readonly secret: string;
    readonly resave: boolean;
    readonly saveUninitialized: boolean;
  }): Handler;
}

declare module 'passport-openidconnect' {
  export interface Options {
    readonly issuer: string;
    readonly authorizationURL: string;
    readonly tokenURL: string;
    readonly userInfoURL: string;
    readonly clientID: string;
    readonly clientSecret: string;
    readonly callbackURL: string;
    readonly scope?: readonly string[];
    readonly nonce?: boolean;
    readonly maxAge?: number;
    readonly prompt?: string;
    readonly loginHint?: string;
    readonly claims?: unknown;
  }
  export interface Profile {
    readonly id: string;
    readonly username?: string;
    readonly emails?: readonly { readonly value: string }[];
  }
  type Done = (error: unknown, user?: unknown) => void;
  /** The number of parameters tells the package what to pass, and that it has to ask for the profile. */
  export type Verify = (
    issuer: string,
    userinfo: Profile,
    idToken: Profile,
    context: unknown,
    rawIdToken: string,
    accessToken: string,
    refreshToken: string,
    answer: Readonly<Record<string, unknown>>,
    done: Done,
  ) => void;
  export class Strategy {
    constructor(options: Options, verify: Verify);
  }
}

declare module 'passport' {
  import type { Handler } from 'express';
  import type { Strategy } from 'passport-openidconnect';

  type Convert = (value: unknown, done: (error: unknown, value: unknown) => void) => void;
  export class Passport {
    use(strategy: Strategy): void;
    session(): Handler;
    authenticate(name: string): Handler;
    serializeUser(convert: Convert): void;
    deserializeUser(convert: Convert): void;
  }
}
