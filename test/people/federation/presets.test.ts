import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { aClient, anApplication, PASSWORD } from '../../build/fixture.ts';
import { openRecordedProvider, type RecordedProvider, type Recording } from '../../build/recorded-provider.ts';
import { suiteServer } from '../../build/test-server.ts';
import { answerIn, authorizationUrl, formWith, type Seen, Visitor } from '../../build/visitor.ts';

/** Answers as the documentation of each service shows them; what is fetched is fetched over the network, from this machine. */
const GOOGLE: Recording = {
  documents: {
    '/.well-known/openid-configuration': {
      issuer: '{base}',
      authorization_endpoint: '{base}/o/oauth2/v2/auth',
      device_authorization_endpoint: '{base}/device/code',
      token_endpoint: '{base}/token',
      userinfo_endpoint: '{base}/v1/userinfo',
      revocation_endpoint: '{base}/revoke',
      jwks_uri: '{base}/jwks',
      response_types_supported: ['code', 'token', 'id_token', 'code token', 'none'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      scopes_supported: ['openid', 'email', 'profile'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      code_challenge_methods_supported: ['plain', 'S256'],
    },
    '/v1/userinfo': {
      sub: '110248495921238986420',
      name: 'Elisa Beckett',
      given_name: 'Elisa',
      family_name: 'Beckett',
      picture: 'https://lh3.googleusercontent.com/a-/photo.jpg',
      email: 'elisa@corp.example',
      email_verified: true,
      hd: 'corp.example',
    },
  },
  tokenPath: '/token',
  tokens: {
    access_token: '1/fFAGRNJru1FTz70BzhT3Zg',
    expires_in: 3920,
    token_type: 'Bearer',
    scope: 'openid email profile',
  },
  claims: {
    iss: '{base}',
    azp: '1234987819200.apps.googleusercontent.com',
    sub: '110248495921238986420',
    at_hash: undefined,
    hd: 'corp.example',
    email: 'elisa@corp.example',
    email_verified: true,
  },
};

const TENANT = '9122040d-6c67-4c5b-b112-36a304b66dad';
const entra = (tenant: string, named = '{base}/{tenantid}/v2.0', tid = TENANT): Recording => ({
  documents: {
    [`/${tenant}/v2.0/.well-known/openid-configuration`]: {
      token_endpoint: `{base}/${tenant}/oauth2/v2.0/token`,
      token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt', 'client_secret_basic'],
      jwks_uri: '{base}/jwks',
      response_modes_supported: ['query', 'fragment', 'form_post'],
      subject_types_supported: ['pairwise'],
      id_token_signing_alg_values_supported: ['RS256'],
      response_types_supported: ['code', 'id_token', 'code id_token', 'id_token token'],
      issuer: named,
      request_uri_parameter_supported: false,
      userinfo_endpoint: '{base}/oidc/userinfo',
      authorization_endpoint: `{base}/${tenant}/oauth2/v2.0/authorize`,
      end_session_endpoint: `{base}/${tenant}/oauth2/v2.0/logout`,
    },
    '/oidc/userinfo': {
      sub: 'OLu859SGc2Sr9ZsqbkG-QbeLgJlb41KcdiPoLYNpSFA',
      name: 'Mikah Ollenburg',
      family_name: ' Ollenburg',
      given_name: 'Mikah',
      picture: 'https://graph.microsoft.com/v1.0/me/photo/$value',
      email: `mikoll@${tenant}.example`,
    },
  },
  tokenPath: `/${tenant}/oauth2/v2.0/token`,
  tokens: { access_token: 'eyJ0eXAiOiJKV1Qi', token_type: 'Bearer', expires_in: 3599, scope: 'openid profile email' },
  claims: {
    ver: '2.0',
    iss: `{base}/${tid}/v2.0`,
    sub: 'OLu859SGc2Sr9ZsqbkG-QbeLgJlb41KcdiPoLYNpSFA',
    name: 'Mikah Ollenburg',
    preferred_username: `mikoll@${tenant}.example`,
    oid: '00000000-0000-0000-66f3-3332eca7ea81',
    tid,
    email: `mikoll@${tenant}.example`,
  },
});

const APPLE: Recording = {
  documents: {
    '/.well-known/openid-configuration': {
      issuer: '{base}',
      authorization_endpoint: '{base}/auth/authorize',
      token_endpoint: '{base}/auth/token',
      revocation_endpoint: '{base}/auth/revoke',
      jwks_uri: '{base}/auth/keys',
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'fragment', 'form_post'],
      subject_types_supported: ['pairwise'],
      id_token_signing_alg_values_supported: ['RS256'],
      scopes_supported: ['openid', 'email', 'name'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    },
  },
  jwksPath: '/auth/keys',
  tokenPath: '/auth/token',
  tokens: { access_token: 'adg61...67Or9', token_type: 'Bearer', expires_in: 3600, refresh_token: 'rca7...lABoQ' },
  claims: {
    iss: '{base}',
    sub: '001999.7e2f0d9c8b6a4f.1234',
    email: 'dpdcnf87nu@privaterelay.appleid.com',
    email_verified: 'true',
    is_private_email: 'true',
    nonce_supported: true,
  },
};

const GITHUB: Recording = {
  documents: {
    '/user': {
      login: 'octocat',
      id: 583231,
      node_id: 'MDQ6VXNlcjU4MzIzMQ==',
      avatar_url: 'https://avatars.githubusercontent.com/u/583231?v=4',
      html_url: 'https://github.com/octocat',
      type: 'User',
      name: 'monalisa octocat',
      company: 'GitHub',
      blog: 'https://github.blog',
      email: null,
    },
    '/user/emails': [
      { email: 'old@github.example', verified: true, primary: false, visibility: null },
      { email: 'octocat@github.example', verified: true, primary: true, visibility: 'private' },
    ],
  },
  tokenPath: '/login/oauth/access_token',
  tokens: {
    access_token: 'gho_16C7e42F292c6912E7710c838347Ae178B4a',
    scope: 'read:user,user:email',
    token_type: 'bearer',
  },
};

const GITLAB: Recording = {
  documents: {
    '/.well-known/openid-configuration': {
      issuer: '{base}',
      authorization_endpoint: '{base}/oauth/authorize',
      token_endpoint: '{base}/oauth/token',
      userinfo_endpoint: '{base}/oauth/userinfo',
      jwks_uri: '{base}/oauth/discovery/keys',
      scopes_supported: ['api', 'read_user', 'openid', 'profile', 'email'],
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      code_challenge_methods_supported: ['plain', 'S256'],
    },
    '/oauth/userinfo': {
      sub: '1024',
      name: 'Alice Lab',
      nickname: 'alab',
      preferred_username: 'alab',
      email: 'alab@lab.example',
      email_verified: true,
      profile: 'https://gitlab.example/alab',
      picture: 'https://gitlab.example/uploads/avatar.png',
      groups: ['engineering', 'engineering/infra'],
    },
  },
  jwksPath: '/oauth/discovery/keys',
  tokenPath: '/oauth/token',
  tokens: {
    access_token: 'de6780bc506a0446309bd9362820ba8a',
    token_type: 'Bearer',
    expires_in: 7200,
    scope: 'openid profile email',
  },
  claims: {
    iss: '{base}',
    sub: '1024',
    auth_time: 1,
    sub_legacy: 'a',
    nickname: 'alab',
    groups_direct: ['engineering'],
  },
};

describe('services that are known by name (contract, Presets)', () => {
  let service: RecordedProvider;
  let recording = GOOGLE;
  let visitor: Visitor;
  const server = suiteServer({ env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' }, applications: [], users: [] });
  after(async () => {
    for (const each of opened) await each.close();
  });
  const opened: RecordedProvider[] = [];
  beforeEach(async () => {
    visitor = new Visitor(server.base);
    await renew();
  });
  /** Metadata are kept by their address, so each service has one of its own. */
  async function renew() {
    service = await openRecordedProvider(() => recording);
    opened.push(service);
  }

  let count = 0;
  /** A provider of this type with nothing but what has to be set, and where the service is for this test. */
  async function aService(
    type: 'google' | 'microsoft' | 'apple' | 'github' | 'gitlab' | 'oauth',
    more: object,
    recorded: Recording,
  ) {
    recording = recorded;
    const id = `${type}${++count}`;
    const known = { client_id: '1234987819200.apps.googleusercontent.com', client_secret: 'a secret' };
    await server.provision({
      providers: [{ id, type, ...known, ...more }],
      applications: [anApplication({ providers: [id] })],
    });
    return id;
  }
  async function begin(id: string): Promise<{ url: string; params: URLSearchParams }> {
    const { location = '' } = await visitor.follow(authorizationUrl(server, { idp_hint: id }));
    assert(location.startsWith('http'), location);
    return { url: location, params: new URL(location).searchParams };
  }
  async function signIn(id: string, more?: Record<string, string>): Promise<Seen> {
    visitor = new Visitor(server.base);
    const { url } = await begin(id);
    return visitor.follow(service.answerTo(url, more));
  }
  async function personOf(id: string, subject: string) {
    return server.services.store.findLinkedAccount({ provider: id, subject });
  }
  const at = () => ({ issuer: service.base });
  const signedIn = (seen: Seen) => assert(answerIn(seen).code, `${seen.status} ${seen.url} ${seen.text}`);

  it('Google: the button, what is asked, and who the person is', async () => {
    const id = await aService('google', at(), GOOGLE);
    const page = await visitor.follow(authorizationUrl(server));
    assert.match(page.text, /Continue with Google/);
    const { url, params } = await begin(id);
    assert(url.startsWith(`${service.base}/o/oauth2/v2/auth?`));
    assert.equal(params.get('scope'), 'openid profile email');
    assert.equal(params.get('code_challenge_method'), 'S256');
    signedIn(await visitor.follow(service.answerTo(url)));
    const { name, email, emailVerified, picture } = await found(id, '110248495921238986420');
    assert.deepEqual([name, email, emailVerified], ['Elisa Beckett', 'elisa@corp.example', false]);
    assert.match(picture ?? '', /googleusercontent/);
  });

  it('Google: an address counts where Google hosts it; another one was verified once (documentation, "email_verified")', async () => {
    for (const [email, hd, verified] of [
      ['one@hosted.example', 'hosted.example', true],
      ['two@gmail.com', undefined, true],
      ['three@elsewhere.example', undefined, false],
      ['four@gmail.com.evil.example', undefined, false],
    ] as const) {
      const person = { email, hd, email_verified: true, sub: email };
      const documents = { ...GOOGLE.documents, '/v1/userinfo': person };
      const id = await aService(
        'google',
        { ...at(), trusts_email: true },
        { ...GOOGLE, documents, claims: { iss: '{base}', ...person } },
      );
      signedIn(await signIn(id));
      assert.equal((await found(id, email)).emailVerified, verified, email);
    }
  });

  it('Microsoft: the tenant is in the addresses, and its issuer is the one of the ID token', async () => {
    const id = await aService('microsoft', { ...at(), tenant: TENANT }, entra(TENANT, `{base}/${TENANT}/v2.0`));
    const { url, params } = await begin(id);
    assert(url.startsWith(`${service.base}/${TENANT}/oauth2/v2.0/authorize?`));
    assert.equal(params.get('scope'), 'openid profile email');
    signedIn(await visitor.follow(service.answerTo(url)));
    const { email, emailVerified, name } = await found(id, 'OLu859SGc2Sr9ZsqbkG-QbeLgJlb41KcdiPoLYNpSFA');
    assert.deepEqual([email, emailVerified, name], [`mikoll@${TENANT}.example`, false, 'Mikah Ollenburg']);
  });

  it('Microsoft: of many tenants each has its own issuer, and a subject belongs to its tenant', async () => {
    const id = await aService('microsoft', at(), entra('common'));
    signedIn(await signIn(id));
    assert(await personOf(id, `${TENANT}:OLu859SGc2Sr9ZsqbkG-QbeLgJlb41KcdiPoLYNpSFA`));
    const other = '11111111-2222-3333-4444-555555555555';
    recording = {
      ...entra('common', undefined, other),
      claims: { ...entra('common', undefined, other).claims, iss: `{base}/${TENANT}/v2.0` },
    };
    assert.match((await signIn(id)).text, /could not be verified/, 'the issuer of another tenant');
    recording = { ...entra('common'), claims: { ...entra('common').claims, tid: 'common', iss: '{base}/common/v2.0' } };
    assert.match((await signIn(id)).text, /could not be verified/, 'no tenant at all');
  });

  it('Microsoft: organizations takes no personal accounts, and a tenant none of another', async () => {
    const personal = '9188040d-6c67-4b5b-b112-36a304b66dad';
    const organizations = await aService(
      'microsoft',
      { ...at(), tenant: 'organizations' },
      entra('organizations', undefined, personal),
    );
    assert.match((await signIn(organizations)).text, /could not be verified/);
    const one = await aService(
      'microsoft',
      { ...at(), tenant: TENANT },
      entra(TENANT, `{base}/${TENANT}/v2.0`, personal),
    );
    assert.match((await signIn(one)).text, /could not be verified/);
  });

  it('Microsoft: an address is verified where xms_edov says so, never because email_verified is there (nOAuth)', async () => {
    for (const [index, [edov, verified]] of (
      [
        [true, true],
        ['1', true],
        [undefined, false],
        [false, false],
      ] as const
    ).entries()) {
      const recorded = entra(TENANT, `{base}/${TENANT}/v2.0`);
      const claims = {
        ...recorded.claims,
        sub: `edov${index}`,
        email: `edov${index}@contoso.example`,
        email_verified: true,
        xms_edov: edov,
      };
      const documents = { ...recorded.documents, '/oidc/userinfo': { sub: `edov${index}` } };
      const id = await aService(
        'microsoft',
        { ...at(), tenant: TENANT, trusts_email: true },
        { ...recorded, documents, claims },
      );
      signedIn(await signIn(id));
      assert.equal((await found(id, `edov${index}`)).emailVerified, verified);
    }
  });

  it('Apple: form_post, a client secret signed with the key of the team, and the name that comes once', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    const id = await aService(
      'apple',
      { ...at(), client_secret: pem, team_id: 'DEF123GHIJ', key_id: 'ABC123DEFG' },
      APPLE,
    );
    const { url, params } = await begin(id);
    assert.deepEqual([params.get('response_mode'), params.get('scope')], ['form_post', 'openid name email']);
    // Apple posts the answer, from its own page: the browser sends no cookie with it.
    const answer = new URL(service.answerTo(url));
    const user = JSON.stringify({
      name: { firstName: 'Appleseed', lastName: 'John' },
      email: 'evil@elsewhere.example',
    });
    const body = new URLSearchParams([...answer.searchParams, ['user', user]]).toString();
    const bare = new Visitor(server.base);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://appleid.apple.com' };
    const posted = await bare.go(answer.origin + answer.pathname, { method: 'POST', body, headers });
    assert.equal(posted.status, 303);
    signedIn(await visitor.follow(posted.location ?? ''));
    const account = await found(id, '001999.7e2f0d9c8b6a4f.1234');
    assert.deepEqual(
      [account.name, account.given_name, account.email],
      ['Appleseed John', 'Appleseed', 'dpdcnf87nu@privaterelay.appleid.com'],
    );
    const sent = service.asked().find(({ path }) => path === '/auth/token');
    const [header = '', claims = '', signature = ''] = (sent?.body.get('client_secret') ?? '').split('.');
    assert(
      verify(
        'sha256',
        Buffer.from(`${header}.${claims}`),
        { key: publicKey, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      ),
    );
    const { iat, exp, ...rest } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    assert.deepEqual(rest, { iss: 'DEF123GHIJ', aud: 'https://appleid.apple.com', sub: sent?.body.get('client_id') });
    assert(exp > iat && exp - iat <= 15_777_000, 'at most six months');
    assert.deepEqual(JSON.parse(Buffer.from(header, 'base64url').toString()), { alg: 'ES256', kid: 'ABC123DEFG' });
    // The second time there is no name: it stays.
    signedIn(await signIn(id));
    assert.equal((await found(id, '001999.7e2f0d9c8b6a4f.1234')).name, 'Appleseed John');
  });

  it('Apple: a key that could sign nothing is refused when it is set', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
    const names = { team_id: 'T', key_id: 'K' };
    for (const more of [
      { client_secret: rsa, ...names },
      { client_secret: ec },
      { client_secret: '-----BEGIN PRIVATE KEY-----', ...names },
    ]) {
      await assert.rejects(aService('apple', more, APPLE), /client_secret/);
    }
  });

  it('GitHub: the address comes from /user/emails, the subject is the number, and nobody is told by an ID token', async () => {
    const id = await aService('github', github(), GITHUB);
    const { url, params } = await begin(id);
    assert(url.startsWith(`${service.base}/login/oauth/authorize?`));
    assert.deepEqual([params.get('scope'), params.get('nonce')], ['read:user user:email', null]);
    signedIn(await visitor.follow(service.answerTo(url)));
    const { username, email, emailVerified, picture, website } = await found(id, '583231');
    assert.deepEqual([username, email, emailVerified], ['octocat', 'octocat@github.example', false]);
    assert.deepEqual([picture, website], ['https://avatars.githubusercontent.com/u/583231?v=4', 'https://github.blog']);
    const [token, user] = service.asked();
    assert.equal(token?.body.get('code_verifier')?.length, 43);
    assert.equal(user?.headers.authorization, 'Bearer gho_16C7e42F292c6912E7710c838347Ae178B4a');
    assert.equal(user?.headers['user-agent'], 'Gatehouse', 'GitHub refuses requests without one');
  });

  it('GitHub: an address counts only where it is the primary one, and verified', async () => {
    for (const [index, [emails, verified]] of [
      [[{ email: 'gh0@x.example', primary: true, verified: true }], true],
      [[{ email: 'gh1@x.example', primary: true, verified: false }], false],
      [{ message: 'Not Found' }, false],
    ].entries()) {
      const person = {
        ...(GITHUB.documents['/user'] as object),
        id: 7000 + index,
        login: `gh${index}`,
        email: `gh${index}@x.example`,
      };
      const documents = { '/user': person, '/user/emails': emails };
      const id = await aService('github', { ...github(), trusts_email: true }, { ...GITHUB, documents });
      signedIn(await signIn(id));
      assert.equal((await found(id, String(7000 + index))).emailVerified, verified);
    }
  });

  it('GitHub: its errors come with 200, and are told as what they are', async () => {
    const error = {
      error: 'incorrect_client_credentials',
      error_description: 'The client_id and/or client_secret passed are incorrect.',
    };
    const id = await aService('github', github(), { ...GITHUB, tokens: error });
    assert.match((await signIn(id)).text, /GitHub refused the sign-in/);
    assert.match(server.logged(), /incorrect_client_credentials/);
    assert.doesNotMatch(server.logged(), /passed are incorrect/, 'not the words, which a provider could fill at will');
  });

  it('GitLab: by OpenID Connect, with groups where they are mapped', async () => {
    const id = await aService('gitlab', { ...at(), groups: { 'engineering/infra': 'infra' } }, GITLAB);
    signedIn(await signIn(id));
    const { username, groups, nickname } = await found(id, '1024');
    assert.deepEqual([username, nickname, groups], ['alab', 'alab', ['infra']]);
  });

  it('OAuth 2.0 alone: addresses of its own, the subject in the field that is named, claims mapped', async () => {
    const recorded: Recording = {
      documents: { '/me': { account: { id: 'x-1' }, uid: 42, mail: 'o@auth.example', real_name: 'O. Auth' } },
      tokenPath: '/t',
      tokens: { access_token: 'opaque', token_type: 'bearer' },
    };
    const endpoints = {
      authorization_endpoint: `${service.base}/a?x=1`,
      token_endpoint: `${service.base}/t`,
      userinfo_endpoint: `${service.base}/me`,
    };
    const more = {
      ...endpoints,
      subject_claim: 'uid',
      scope: ['me'],
      claims: { email: 'mail', name: 'real_name', nickname: 'account.id' },
    };
    const id = await aService('oauth', more, recorded);
    const { params } = await begin(id);
    assert.deepEqual([params.get('x'), params.get('scope')], ['1', 'me']);
    signedIn(await signIn(id));
    const { email, name, nickname } = await found(id, '42');
    assert.deepEqual([email, name, nickname], ['o@auth.example', 'O. Auth', 'x-1']);
    const none = await aService('oauth', { ...more, subject_claim: 'nothing' }, recorded);
    assert.match((await signIn(none)).text, /could not be verified/);
  });

  const github = () => ({
    authorization_endpoint: `${service.base}/login/oauth/authorize`,
    token_endpoint: `${service.base}/login/oauth/access_token`,
    userinfo_endpoint: `${service.base}/user`,
  });
  async function found(id: string, subject: string) {
    const account = await personOf(id, subject);
    assert(account, 'nobody was linked');
    const { standardClaims, membership, ...rest } = account;
    return { ...rest, ...standardClaims, groups: membership?.groups };
  }
});

describe('a second Gatehouse as the provider, with a key of ours (private_key_jwt, RFC 7523)', () => {
  const env = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' };
  const server = suiteServer({ env, applications: [], users: [] });
  const upstream = suiteServer(() => {
    const at = `${server.base}/login/provider/house`;
    const client = aClient({
      ...{ client_id: 'gate', grant_types: ['authorization_code'], redirect_uris: [`${at}/callback`] },
      ...{ require_consent: false, client_secret: undefined },
      ...{ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: `${at}/jwks` },
    });
    const hannah = { username: 'hannah', password: PASSWORD, email: 'hannah@house.example', name: 'Hannah House' };
    return { env, applications: [anApplication({ clients: [client] })], users: [hannah] };
  });
  before(async () => {
    const house = { id: 'house', type: 'gatehouse', name: 'House', issuer: upstream.at(), client_id: 'gate' } as const;
    await server.provision({
      providers: [{ ...house, token_endpoint_auth_method: 'private_key_jwt' }],
      applications: [anApplication({ providers: ['house'] })],
    });
  });

  it('signs people in; the key is published, and its private half nowhere', async () => {
    const visitor = new Visitor(server.base);
    const gone = await visitor.follow(authorizationUrl(server, { idp_hint: 'house' }));
    const there = new Visitor(upstream.base);
    const login = await there.follow(gone.location ?? '');
    const back = await there.send(formWith(login, 'password'), { username: 'hannah', password: PASSWORD });
    const seen = await visitor.follow(back.location ?? '');
    assert(answerIn(seen).code, seen.text);
    const { keys } = JSON.parse((await visitor.go(`${server.base}/login/provider/house/jwks`)).text);
    assert.deepEqual(Object.keys(keys[0]).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
    assert(createPublicKey({ key: keys[0], format: 'jwk' }));
    const { sub = '' } = (await upstream.services.store.findAccount('hannah')) ?? {};
    const account = await server.services.store.findLinkedAccount({ provider: 'house', subject: sub });
    assert.equal(account?.standardClaims?.name, 'Hannah House');
  });

  it('a provider without such a key publishes none', async () => {
    const visitor = new Visitor(server.base);
    assert.equal((await visitor.go(`${server.base}/login/provider/nobody/jwks`)).status, 404);
  });
});
