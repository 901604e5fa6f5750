import { post } from '../../../build/client.ts';
import { aPasskey, askedBy } from '../../../build/passkey.ts';
import { logIn, press, signedIn, tokensOf } from '../../../build/people.ts';
import { authorizationUrl, formWith, signIn, Visitor } from '../../../build/visitor.ts';
import { authorize, type Case, HUSH, untilLimited } from './world.ts';

/** What /auth and the pages of the sign-in refuse because of the session, the user's choice or the form. */
export const signInCases: readonly Case[] = [
  {
    row: 'loginRequired',
    name: 'prompt=none without a session',
    refuse: authorize({ prompt: 'none' }),
    client: 'web',
    received: /prompt: none; no session/,
    kinds: ['no-session'],
    failed: 'user signed in',
  },
  {
    row: 'loginRequired',
    name: 'a session older than max_age',
    refuse: async world => {
      const visitor = await signedIn(world.server);
      world.clock.advance(252);
      return visitor.go(authorizationUrl(world.server, { prompt: 'none', max_age: '60' }));
    },
    client: 'web',
    kinds: ['too-old'],
    difference: /signed in 4 min 12 s before; max_age allows 1 min/,
    failed: 'user signed in',
  },
  {
    row: 'loginRequired',
    name: 'a session of another user than id_token_hint',
    refuse: async ({ server }) => {
      const visitor = await signedIn(server, 'bob');
      const claims = '{"id_token":{"sub":{"value":"someone else"}}}';
      return visitor.go(authorizationUrl(server, { prompt: 'none', claims }));
    },
    client: 'web',
    kinds: ['another-user'],
    failed: 'user signed in',
  },
  {
    row: 'otherUserSignedIn',
    name: 'another user signs in than id_token_hint names',
    refuse: async ({ server }) => {
      const { id_token } = await tokensOf(server, await signedIn(server));
      const visitor = new Visitor(server.base);
      return logIn(visitor, await visitor.follow(authorizationUrl(server, { id_token_hint: id_token })), 'bob');
    },
    client: 'web',
    expected: /the user whom the request names/,
    kinds: ['another-user'],
    difference: /signed in, and is not the one/,
    failed: 'user signed in',
  },
  {
    row: 'twoUsersNamed',
    name: 'claims of one user for the ID token and of another for userinfo',
    refuse: async ({ server }) => {
      const visitor = await signedIn(server);
      const claims = '{"id_token":{"sub":{"value":"one"}},"userinfo":{"sub":{"value":"another"}}}';
      return visitor.go(authorizationUrl(server, { claims }));
    },
    client: 'web',
    kinds: ['two-users'],
    difference: /claims names one user for the ID token and another for userinfo/,
    failed: 'other parameters checked',
  },
  {
    row: 'twoUsersNamed',
    name: 'claims of another user than id_token_hint',
    refuse: async ({ server }) => {
      const visitor = await signedIn(server);
      const { id_token } = await tokensOf(server, visitor);
      const claims = '{"id_token":{"sub":{"value":"another"}}}';
      return visitor.go(authorizationUrl(server, { claims, id_token_hint: id_token }));
    },
    client: 'web',
    kinds: ['two-users'],
    difference: /id_token_hint and the parameter claims name different users/,
    failed: 'other parameters checked',
  },
  {
    row: 'consentRequired',
    name: 'prompt=none before the first consent',
    refuse: async ({ server }) => {
      const visitor = await signedIn(server);
      return visitor.go(authorizationUrl(server, { client_id: 'asking', prompt: 'none', scope: 'openid email' }));
    },
    client: 'asking',
    kinds: ['consent-missing'],
    difference: /Not agreed to yet: openid and email/,
    failed: 'consent given',
  },
  {
    row: 'userCancelled',
    name: 'the user cancels on the login page',
    refuse: async ({ server }) => {
      const visitor = new Visitor(server.base);
      return press(visitor, await visitor.follow(authorizationUrl(server)), 'cancel');
    },
    client: 'web',
    kinds: ['cancelled'],
    failed: 'user signed in',
  },
  {
    row: 'pendingRequestExpired',
    name: 'a login page that is too old',
    refuse: async ({ server, clock }) => {
      const visitor = new Visitor(server.base);
      const page = await visitor.follow(authorizationUrl(server));
      clock.advance(600 + 252);
      return visitor.send(formWith(page, 'password'), { username: 'alice', password: HUSH });
    },
    app: null,
    kinds: ['expired'],
    difference: /Expired by 4 min 12 s/,
    failed: 'sign-in opened',
  },
  {
    row: 'pendingRequestExpired',
    name: 'a login page in another browser',
    refuse: async ({ server }) => {
      const page = await new Visitor(server.base).follow(authorizationUrl(server));
      return new Visitor(server.base).send(formWith(page, 'password'), { username: 'alice', password: HUSH });
    },
    app: null,
    kinds: ['no-cookie'],
    failed: 'sign-in opened',
  },
  {
    row: 'resetLinkInvalid',
    name: 'a link to a new password that was never sent',
    refuse: ({ server }) => new Visitor(server.base).go(`${server.base}/reset-password?token=gpr_${'x'.repeat(22)}`),
    app: null,
    received: /password reset token of 26 characters \(not kept\)/,
    kinds: ['used-or-expired'],
    failed: 'sign-in opened',
  },
  {
    row: 'tooManyMailRequests',
    name: 'one forgotten password too many',
    refuse: world =>
      untilLimited(world, () => {
        const body = new URLSearchParams({ username: HUSH }).toString();
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        return new Visitor(world.server.base).go(`${world.server.base}/forgot-password`, {
          method: 'POST',
          body,
          headers,
        });
      }),
    app: null,
    kinds: ['limit'],
    failed: 'password checked',
  },
  {
    row: 'formReplayed',
    name: 'a login form that is sent twice',
    refuse: async ({ server }) => {
      const visitor = new Visitor(server.base);
      const form = formWith(await visitor.follow(authorizationUrl(server)), 'password');
      const alice = { username: 'alice', password: 'correct horse battery staple' };
      await visitor.send(form, alice);
      return visitor.send(form, alice);
    },
    client: 'web',
    kinds: ['replayed'],
    failed: 'session opened',
  },
  {
    row: 'formFromElsewhere',
    name: 'a form of another site',
    refuse: ({ server }) => post(`${server.base}/login`, 'pending=x', { headers: { origin: 'https://evil.example' } }),
    app: null,
    received: /Origin: https:\/\/evil\.example/,
    kinds: ['another-site'],
    failed: 'form of an own page',
  },
  {
    row: 'signInNeeded',
    name: 'a consent after the session has ended',
    refuse: async ({ server }) => {
      const visitor = await signedIn(server);
      const page = await visitor.follow(authorizationUrl(server, { client_id: 'asking' }));
      visitor.cookies.delete('gatehouse_session');
      return press(visitor, page, 'allow');
    },
    client: 'asking',
    kinds: ['session-ended'],
    failed: 'form complete',
  },
  {
    row: 'credentialsWrong',
    name: 'a wrong password on the login page',
    refuse: async ({ server }) => {
      const visitor = new Visitor(server.base);
      const page = await visitor.follow(authorizationUrl(server));
      return visitor.send(formWith(page, 'password'), { username: 'alice', password: HUSH });
    },
    client: 'web',
    received: /username: a value \(not kept\); password: a value \(not kept\)/,
    kinds: ['wrong-password'],
    failed: 'password checked',
  },
  {
    row: 'credentialsWrong',
    name: 'an account without attempts left, by another of its names',
    refuse: async ({ server }) => {
      const guess = async (username: string) => {
        const visitor = new Visitor(server.base);
        const page = await visitor.follow(authorizationUrl(server));
        return visitor.send(formWith(page, 'password'), { username, password: HUSH });
      };
      for (let count = 0; count < 10; count++) await guess('alice');
      return guess('alice@example.com');
    },
    client: 'web',
    received: /one more, for the user /,
    kinds: ['limit'],
    failed: 'password checked',
  },
  {
    row: 'codeWrong',
    name: 'a wrong code of the second factor',
    refuse: async ({ server }) => {
      const visitor = new Visitor(server.base);
      const page = await signIn(server, {}, { visitor, username: 'tina' });
      return visitor.send(formWith(page, 'code'), { code: HUSH });
    },
    client: 'web',
    received: /code: 31 characters \(not kept\)/,
    kinds: ['wrong-code'],
    failed: 'code checked',
  },
  {
    row: 'passkeyRefused',
    name: 'a passkey that nobody has',
    refuse: async ({ server }) => {
      const visitor = new Visitor(server.base);
      const page = await visitor.follow(authorizationUrl(server));
      return visitor.send(formWith(page, 'passkey'), { passkey: aPasskey().assert(askedBy(page)) });
    },
    client: 'web',
    received: /passkey: \d+ characters \(not kept\)/,
    kinds: ['passkey-unknown'],
    failed: 'code checked',
  },
  {
    row: 'passkeysOff',
    name: 'a passkey for an application that takes none',
    refuse: async ({ server }) => {
      const visitor = new Visitor(server.base);
      const page = await visitor.follow(authorizationUrl(server, { client_id: 'plainer' }, 'plain'));
      return visitor.send(formWith(page, 'password'), { action: 'passkey', passkey: HUSH });
    },
    app: 'plain',
    client: 'plainer',
    kinds: ['not-allowed'],
    failed: 'code checked',
  },
  {
    row: 'codesExhausted',
    name: 'one wrong code too many',
    refuse: async ({ server }) => {
      const visitor = new Visitor(server.base);
      const form = formWith(await signIn(server, {}, { visitor, username: 'tina' }), 'code');
      for (let guess = 0; guess < 5; guess++) await visitor.send(form, { code: HUSH });
      return visitor.send(form, { code: HUSH });
    },
    client: 'web',
    kinds: ['limit'],
    failed: 'code checked',
  },
  {
    row: 'loginRequired',
    name: 'prompt=none where the second factor is missing',
    refuse: async ({ server }) => {
      const visitor = new Visitor(server.base);
      await signIn(server, { client_id: 'blogger' }, { visitor, username: 'tina', app: 'blog' });
      return visitor.go(authorizationUrl(server, { prompt: 'none' }));
    },
    client: 'web',
    received: /a session with one factor/,
    kinds: ['second-factor'],
    failed: 'user signed in',
  },
];
