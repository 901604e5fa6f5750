/** The part of oidc-provider and autocannon that is used here; neither brings types of its own. */
declare module 'oidc-provider' {
  interface Client {
    readonly clientId: string;
  }
  interface Token {
    save(): Promise<string>;
  }
  interface Grant extends Token {
    addOIDCScope(scope: string): void;
  }
  interface TokenFields {
    readonly accountId: string;
    readonly client: Client;
    readonly grantId: string;
    readonly gty: string;
    readonly scope: string;
    readonly authTime?: number;
    readonly amr?: readonly string[];
  }
  export default class Provider {
    constructor(issuer: string, configuration: object);
    readonly Client: { find(id: string): Promise<Client | undefined> };
    readonly Grant: new (fields: {
      readonly accountId: string;
      readonly clientId: string;
    }) => Grant;
    readonly AccessToken: new (
      fields: TokenFields,
    ) => Token;
    readonly RefreshToken: new (
      fields: TokenFields,
    ) => Token;
    listen(port: number, host: string): void;
  }
}

declare module 'autocannon' {
  interface Request {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  }
  interface Result {
    readonly duration: number;
    readonly errors: number;
    readonly '2xx': number;
    readonly '3xx': number;
    readonly requests: { readonly total: number };
    readonly latency: { readonly p50: number; readonly p99: number };
  }
  export default function autocannon(options: {
    readonly url: string;
    readonly connections: number;
    readonly duration: number;
    readonly setupClient: (client: { setRequests(requests: readonly Request[]): void }) => void;
  }): Promise<Result>;
}
