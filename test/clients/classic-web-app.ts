import express, { type FaultHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import { type Options, type Profile, Strategy } from 'passport-openidconnect';
import type { TestServer } from '../build/test-server.ts';
import { openSite, type Site } from './site.ts';

/** The user that the application takes to be signed in. */
export interface SignedIn {
  readonly issuer: string;
  readonly userinfo: Profile;
  readonly idToken: Profile;
  readonly rawIdToken: string;
}

/**
 * A web application that keeps its sessions on its own server, with Express and Passport as their guides show it:
 * /login sends to the server, /callback takes the answer, / names the signed-in user, /logout ends both sessions.
 */
export interface ClassicWebApp extends Site {
  /** Once the server and its client are there. */
  serve(server: TestServer, options: Partial<Options>): void;
}

export async function openClassicWebApp(): Promise<ClassicWebApp> {
  let handle = express();
  const site = await openSite((request, response) => handle(request, response));
  return {
    ...site,
    serve(server, options) {
      handle = buildApp(server.at(), site.origin, options);
    },
  };
}

function buildApp(issuer: string, origin: string, options: Partial<Options>) {
  const passport = new Passport();
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user, done) => done(null, user));
  const everything: Options = {
    issuer,
    authorizationURL: `${issuer}/auth`,
    tokenURL: `${issuer}/token`,
    userInfoURL: `${issuer}/userinfo`,
    clientID: 'web',
    clientSecret: 'web-secret-1',
    callbackURL: `${origin}/callback`,
    scope: ['profile', 'email'],
    ...options,
  };
  passport.use(
    new Strategy(everything, (from, userinfo, idToken, _context, rawIdToken, _access, _refresh, _answer, done) => {
      done(null, { issuer: from, userinfo, idToken, rawIdToken } satisfies SignedIn);
    }),
  );
  const authenticate = passport.authenticate('openidconnect');
  // A name of its own: cookies do not tell ports apart.
  const name = `classic-${new URL(origin).port}`;
  return express()
    .use(session({ name, secret: 'for tests', resave: false, saveUninitialized: false }), passport.session())
    .get('/', (request, response) => response.status(request.user ? 200 : 401).json(request.user ?? null))
    .get('/login', authenticate)
    .get('/callback', authenticate, (_request, response) => response.redirect('/'))
    .get('/logout', (request, response, next) => {
      const { rawIdToken } = request.user as SignedIn;
      const bye = new URLSearchParams({ id_token_hint: rawIdToken, post_logout_redirect_uri: `${origin}/` });
      request.logout(fault => (fault ? next(fault) : response.redirect(`${issuer}/logout?${bye}`)));
    })
    .use(showFault);
}

/** Express tells a handler of faults by its four parameters. */
const showFault: FaultHandler = (fault, _request, response, _next) => {
  const { name, message, code, uri } = fault as Error & { readonly code?: string; readonly uri?: string };
  response.status(500).json({ name, message, code, uri });
};
