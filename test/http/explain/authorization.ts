import { get, post } from '../../build/client.ts';
import { CALLBACK } from '../../build/fixture.ts';
import { press, signedIn } from '../../build/people.ts';
import { authorizationUrl, type Fields, formWith, Visitor } from '../../build/visitor.ts';
import { type Case, HUSH, LOCAL_CALLBACK, type World } from './world.ts';

const ask =
  (fields: Fields, app?: string) =>
  ({ server }: World) =>
    get(authorizationUrl(server, fields, app));

const untrusted = (name: string, sent: string, rest: Partial<Case> & Pick<Case, 'kinds'>): Case => ({
  row: 'redirectUriUntrusted',
  name,
  refuse: ask({ redirect_uri: sent }),
  client: 'web',
  received: new RegExp(`^redirect_uri: ${sent.replace(/[.?+*]/g, '\\$&')}$`),
  failed: 'redirect URI compared',
  ...rest,
});

const adding = (uri: string) =>
  `PATCH /applications/shop/clients/web {"redirect_uris":["${CALLBACK}","https://client.example/silent","${uri}"]}`;

const REGISTERED = 'https://client.example/cb, https://client.example/silent';

export const redirectUriCases: readonly Case[] = [
  untrusted('a trailing slash', `${CALLBACK}/`, {
    expected: new RegExp(`one of ${REGISTERED}`),
    kinds: ['trailing-slash'],
    difference: /The received one ends with a slash, the registered one does not\./,
    fix: /Send https:\/\/client\.example\/cb exactly\. Or register the received address as it is\./,
    call: adding(`${CALLBACK}/`),
  }),
  untrusted('another path', 'https://client.example/callback', {
    kinds: ['path'],
    call: adding('https://client.example/callback'),
  }),
  untrusted('another case of the path', 'https://client.example/CB', {
    kinds: ['case'],
    call: adding('https://client.example/CB'),
  }),
  untrusted('an extra query', `${CALLBACK}?lang=de`, {
    kinds: ['extra-query'],
    difference: /\(lang\)/,
  }),
  untrusted('http in the place of https', 'http://client.example/cb', {
    kinds: ['scheme'],
    fix: /cannot be registered: it must use https/,
  }),
  untrusted('another port', 'https://client.example:8443/cb', {
    kinds: ['port'],
    fix: /only if it belongs to the client/,
  }),
  untrusted('another host, which anyone can send: no call is offered', 'https://evil.example/cb', {
    kinds: ['host'],
    fix: /only if it belongs to the client: anyone can send this request/,
  }),
  untrusted('encoded twice', encodeURIComponent(CALLBACK), { kinds: ['encoding'], difference: /it was encoded twice/ }),
  untrusted('a fragment', `${CALLBACK}#x`, {
    kinds: ['fragment'],
    fix: /cannot be registered: it must not have a fragment/,
  }),
  {
    ...untrusted('another port of localhost', 'http://localhost:4000/cb', { kinds: ['port'] }),
    refuse: ask({ client_id: 'local', redirect_uri: 'http://localhost:4000/cb' }),
    client: 'local',
    expected: new RegExp(LOCAL_CALLBACK),
    difference: /for a client without a secret only/,
    call: 'PATCH /applications/shop/clients/local {"redirect_uris":["http://localhost:3000/cb","http://localhost:4000/cb"]}',
  },
];

export const authorizationCases: readonly Case[] = [
  ...redirectUriCases,
  {
    row: 'clientIdMissing',
    name: 'no client_id',
    refuse: ask({ client_id: undefined }),
    kinds: ['missing'],
    failed: 'client recognised',
  },
  {
    row: 'clientUnknown',
    name: 'a misspelt client_id',
    refuse: ask({ client_id: 'plian' }),
    received: /client_id: plian/,
    kinds: ['misspelt'],
    difference: /The application has a client plain\./,
    fix: /Send client_id=plain/,
    failed: 'client recognised',
  },
  {
    row: 'clientUnknown',
    name: 'a client of another application',
    refuse: ask({ client_id: 'blogger' }),
    kinds: ['another-application'],
    difference: /belongs to the application blog/,
    failed: 'client recognised',
  },
  {
    row: 'clientUnknown',
    name: 'a client_id that may be a secret in the wrong place',
    refuse: ask({ client_id: HUSH }),
    received: /client_id: 31 characters \(not kept\)/,
    kinds: ['unknown'],
    failed: 'client recognised',
  },
  {
    row: 'redirectUriMissing',
    name: 'no redirect_uri',
    refuse: ask({ redirect_uri: undefined }),
    client: 'web',
    kinds: ['missing'],
    failed: 'redirect URI compared',
  },
  {
    row: 'responseTypeMissing',
    name: 'no response_type',
    refuse: ask({ response_type: undefined }),
    client: 'web',
    kinds: ['missing'],
    failed: 'response type allowed',
  },
  {
    row: 'responseTypeUnsupported',
    name: 'the hybrid flow',
    refuse: ask({ response_type: 'code id_token' }),
    client: 'web',
    received: /response_type: code id_token/,
    kinds: ['unsupported'],
    failed: 'response type allowed',
  },
  {
    row: 'responseTypeNotAllowed',
    name: 'the implicit flow of a client without it',
    refuse: ask({ client_id: 'plain', response_type: 'id_token', nonce: 'n' }),
    client: 'plain',
    expected: /client shop\/plain is registered for: authorization_code/,
    kinds: ['grant-type'],
    failed: 'response type allowed',
  },
  {
    row: 'responseModeInvalid',
    name: 'an unknown response_mode',
    refuse: ask({ response_mode: 'web_message' }),
    client: 'web',
    received: /response_mode: web_message/,
    kinds: ['unknown'],
    failed: 'response type allowed',
  },
  {
    row: 'responseModeInvalid',
    name: 'tokens in the query of a strict_oidc application',
    refuse: ask({ response_type: 'id_token', nonce: 'n', response_mode: 'query' }, 'strict'),
    app: 'strict',
    client: 'web',
    kinds: ['strict'],
    failed: 'response type allowed',
  },
  {
    row: 'scopeInvalid',
    name: 'a misspelt scope',
    refuse: ask({ scope: 'openid profil' }),
    client: 'web',
    received: /scope: openid profil/,
    kinds: ['misspelt'],
    difference: /There is no scope profil; there is profile\./,
    failed: 'scope allowed',
  },
  {
    row: 'scopeInvalid',
    name: 'a scope that is not allowed to the client, in a form_post answer',
    refuse: ask({ client_id: 'plain', scope: 'openid phone', response_mode: 'form_post' }),
    client: 'plain',
    expected: /client shop\/plain is registered for: openid and email/,
    kinds: ['not-allowed'],
    failed: 'scope allowed',
  },
  {
    row: 'scopeInvalid',
    name: 'id_token without openid',
    refuse: ask({ response_type: 'id_token', nonce: 'n', scope: 'email' }),
    client: 'web',
    kinds: ['openid-missing'],
    failed: 'scope allowed',
  },
  {
    row: 'codeChallengeInvalid',
    name: 'a client that must use PKCE and does not',
    refuse: ask({ client_id: 'pkce' }),
    client: 'pkce',
    kinds: ['missing'],
    difference: /registered with require_pkce/,
    failed: 'PKCE checked',
  },
  {
    row: 'codeChallengeInvalid',
    name: 'a hash in hexadecimal',
    refuse: ask({ code_challenge: 'a'.repeat(64), code_challenge_method: 'S256' }),
    client: 'web',
    kinds: ['malformed'],
    difference: /64 characters are a hash in hexadecimal/,
    failed: 'PKCE checked',
  },
  {
    row: 'codeChallengeMethodInvalid',
    name: 'plain',
    refuse: ask({ code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' }),
    client: 'web',
    received: /code_challenge_method: plain/,
    kinds: ['plain'],
    failed: 'PKCE checked',
  },
  {
    row: 'requestNotSupported',
    name: 'a request object',
    refuse: ask({ request: 'a.b.c' }),
    client: 'web',
    kinds: ['unsupported'],
    failed: 'parameters read once',
  },
  {
    row: 'requestUriNotSupported',
    name: 'a request object by reference',
    refuse: ask({ request_uri: 'https://client.example/request' }),
    client: 'web',
    kinds: ['unsupported'],
    failed: 'parameters read once',
  },
  {
    row: 'parameterDuplicated',
    name: 'two states',
    refuse: ({ server }) => get(`${authorizationUrl(server)}&state=two`),
    client: 'web',
    kinds: ['repeated'],
    failed: 'parameters read once',
  },
  {
    row: 'parameterMissing',
    name: 'no nonce in the implicit flow',
    refuse: ask({ response_type: 'id_token' }),
    client: 'web',
    expected: /nonce/,
    kinds: ['missing'],
    failed: 'other parameters checked',
  },
  {
    row: 'parameterInvalid',
    name: 'a max_age that is no number',
    refuse: ask({ max_age: '-5' }),
    client: 'web',
    received: /max_age: -5/,
    kinds: ['value'],
    failed: 'other parameters checked',
  },
  {
    row: 'parameterInvalid',
    name: 'an id_token_hint of another server',
    refuse: ask({ id_token_hint: HUSH }),
    client: 'web',
    kinds: ['hint'],
    failed: 'other parameters checked',
  },
  {
    row: 'authenticationRequirementsUnmet',
    name: 'an essential acr that does not exist',
    refuse: ask({ claims: '{"id_token":{"acr":{"essential":true,"value":"gold"}}}' }),
    client: 'web',
    kinds: ['acr'],
    failed: 'other parameters checked',
  },
  {
    row: 'requestTooLarge',
    name: 'a state of 17,000 characters',
    refuse: ask({ state: 'x'.repeat(17_000) }),
    kinds: ['size'],
    difference: /The longest parameter is state, with 17000 characters/,
    failed: 'request read',
  },
  {
    row: 'loginRequired',
    name: 'prompt=none without a session',
    refuse: ask({ prompt: 'none' }),
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
    row: 'postLogoutRedirectUriUntrusted',
    name: 'a trailing slash after logout',
    refuse: ({ server }) =>
      get(
        `${server.at()}/logout?client_id=web&post_logout_redirect_uri=${encodeURIComponent('https://client.example/bye/')}`,
      ),
    client: 'web',
    kinds: ['trailing-slash'],
    call: 'PATCH /applications/shop/clients/web {"post_logout_redirect_uris":["https://client.example/bye","https://client.example/bye/"]}',
    failed: 'return address compared',
  },
  {
    row: 'logoutClientMismatch',
    name: 'another client than that of the id_token_hint',
    refuse: async ({ server }) => {
      const answered = await post(
        `${server.at()}/token`,
        { grant_type: 'password', username: 'alice', password: 'correct horse battery staple' },
        { auth: `Basic ${Buffer.from('web:web-secret-1').toString('base64')}` },
      );
      return get(`${server.at()}/logout?client_id=other&id_token_hint=${answered.json.id_token}`);
    },
    expected: /client web, to which the id_token_hint was issued/,
    kinds: ['another-client'],
    failed: 'client recognised',
  },
  {
    row: 'logoutClientMismatch',
    name: 'a client that does not exist',
    refuse: ({ server }) => get(`${server.at()}/logout?client_id=${HUSH}`),
    kinds: ['unknown'],
    failed: 'client recognised',
  },
];
