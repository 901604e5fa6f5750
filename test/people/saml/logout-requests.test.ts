import assert from 'node:assert/strict';
import { verify, X509Certificate } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import { formWith, type Seen, Visitor } from '../../build/visitor.ts';
import { aSamlProvider, audienceOf, metadataXml, samlServer, signInByCorp } from './corp.ts';
import {
  byPost,
  byRedirect,
  type LogoutParts,
  logoutXml,
  redirectQuery,
  type Sending,
  signedLogout,
  signedOutAt,
} from './logout-messages.ts';
import { elliptic, isSignedWith, provider, stranger } from './messages.ts';

const THERE = 'https://idp.example.com/slo';
const ANSWERS = 'https://idp.example.com/slo/answers';

describe('a provider of SAML ends a session (SAML profiles section 4.4)', () => {
  const server = samlServer({
    provider: {
      sign_out: true,
      metadata: metadataXml({ signOut: THERE, signOutAnswers: ANSWERS, keys: [provider, elliptic] }),
    },
  });
  const isSignedIn = async (visitor: Visitor) => !/\/login/.test((await visitor.follow(`${server.base}/account`)).url);
  const redirected = (parts: LogoutParts = {}, sending: Sending = {}) =>
    byRedirect(server, logoutXml(server, parts), sending);
  const posted = (parts: LogoutParts = {}, sending: Sending & { readonly isUnsigned?: true } = {}) => {
    const xml = logoutXml(server, parts);
    return byPost(server, sending.isUnsigned ? xml : signedLogout(xml, sending.key), sending);
  };
  const certificate = async () => {
    const { text } = await new Visitor(server.base).go(audienceOf(server));
    return /<ds:X509Certificate>([^<]*)/.exec(text)?.[1] ?? '';
  };

  it('our metadata name the address, for both bindings', async () => {
    const { text } = await new Visitor(server.base).go(audienceOf(server));
    for (const binding of ['HTTP-Redirect', 'HTTP-POST']) {
      const service = `<md:SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" Location="${signedOutAt(server)}"/>`;
      assert(text.includes(service), text);
    }
  });

  it('by redirect: with RelayState, and the answer is signed, for that request, at the ResponseLocation', async () => {
    const { visitor } = await signInByCorp(server);
    assert(await isSignedIn(visitor));
    const { location = '' } = await redirected({ id: '_the-request' }, { relayState: 'a state & more' });
    assert(location.startsWith(`${ANSWERS}?SAMLResponse=`), location);
    const [octets = '', signature = ''] = location.slice(location.indexOf('?') + 1).split('&Signature=');
    const { publicKey } = new X509Certificate(Buffer.from(await certificate(), 'base64'));
    assert(verify('sha256', Buffer.from(octets), publicKey, Buffer.from(decodeURIComponent(signature), 'base64')));
    const { searchParams } = new URL(location);
    assert.equal(searchParams.get('RelayState'), 'a state & more');
    const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLResponse') ?? '', 'base64')).toString();
    assert.match(xml, /InResponseTo="_the-request"/);
    assert.match(xml, /status:Success/);
    assert.equal(await isSignedIn(visitor), false);
  });

  it('by post, and with a key of an elliptic curve', async () => {
    for (const end of [() => posted(), () => redirected({}, { key: elliptic.privateKey, algorithm: ECDSA })]) {
      const { visitor } = await signInByCorp(server);
      const { location = '' } = await end();
      assert(location.startsWith(ANSWERS), location);
      assert.equal(await isSignedIn(visitor), false);
    }
  });

  it('a provider with HTTP-POST alone gets the answer as a form that is signed', async () => {
    const metadata = metadataXml({ signOut: THERE, signOutBinding: 'HTTP-POST' });
    await server.provision({ providers: [{ ...aSamlProvider({ sign_out: true, metadata }), id: 'poster' }] });
    const destination = signedOutAt(server, 'poster');
    const seen = await byPost(server, signedLogout(logoutXml(server, { destination })), {
      to: 'poster',
      relayState: 'st',
    });
    assert.match(seen.text, new RegExp(`action="${THERE}"`));
    assert.match(seen.text, /name="RelayState" value="st"/);
    const { text } = await new Visitor(server.base).go(`${server.base}/login/provider/poster/metadata`);
    const key = /<ds:X509Certificate>([^<]*)/.exec(text)?.[1] ?? '';
    const answer = / name="SAMLResponse" value="([^"]*)"/.exec(seen.text)?.[1] ?? '';
    assert(isSignedWith(Buffer.from(answer, 'base64').toString(), key));
  });

  it('HEAD ends nothing, and does not use the request up (RFC 9110 section 9.3.2)', async () => {
    const { visitor } = await signInByCorp(server);
    const address = `${signedOutAt(server)}?${redirectQuery(logoutXml(server))}`;
    await fetch(address, { method: 'HEAD', redirect: 'manual' });
    assert(await isSignedIn(visitor));
    await new Visitor(server.base).go(address);
    assert.equal(await isSignedIn(visitor), false);
  });

  it('nobody who has no session here: the provider is answered all the same', async () => {
    const seen = await redirected({ subject: `<saml:NameID>nobody</saml:NameID>` });
    assert(seen.location?.startsWith(ANSWERS));
  });

  const both = (parts: LogoutParts, sending: Sending = {}) => [
    () => redirected(parts, sending),
    () => posted(parts, sending),
  ];
  const hostile: Readonly<Record<string, readonly [reason: RegExp, ...send: (() => Promise<Seen>)[]]>> = {
    'not signed': [
      /not signed/,
      () => posted({}, { isUnsigned: true }),
      () => redirected({}, { change: query => query.replace(/&SigAlg.*/, '') }),
      () => redirected({}, { change: query => query.replace(/&Signature.*/, '') }),
    ],
    'signed by somebody else': [/no key in the metadata/, ...both({}, { key: stranger.privateKey })],
    'with another RelayState than was signed': [
      /no key in the metadata/,
      () => redirected({}, { relayState: 'one', change: query => query.replace('=one', '=other') }),
      () => redirected({}, { change: query => `${query}&RelayState=added` }),
    ],
    'with a parameter twice': [
      /is there twice/,
      () => redirected({}, { change: query => `${query}&SigAlg=x` }),
      () => redirected({}, { relayState: 'one', change: query => `${query}&RelayState=other` }),
    ],
    'with SHA-1': [
      /algorithm that is not accepted/,
      () => redirected({}, { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
    ],
    'with a signature in the XML of an address': [
      /where none belongs/,
      () => byRedirect(server, signedLogout(logoutXml(server))),
    ],
    'of another provider': [/another issuer/, ...both({ issuer: 'https://other.example.com' })],
    'for another address': [
      /single logout URL/,
      ...both({ destination: 'https://other.example.com/login/provider/corp/signed-out' }),
      ...both({ destination: null }),
    ],
    'that has expired': [/has expired/, ...both({ notOnOrAfter: -61 }), ...both({ issued: -400 })],
    'with an end that is no time': [/has expired/, ...both({ notOnOrAfter: Number.NaN })],
    'of the future': [/not valid yet/, ...both({ issued: 120 })],
    'with an encrypted NameID': [/NameID is encrypted/, ...both({ subject: '<saml:EncryptedID/>' })],
    'without a NameID': [/NameID is missing/, ...both({ subject: '' })],
    'that is another message': [/no LogoutRequest/, ...both({ name: 'LogoutResponse' })],
    'that is no XML, or too long': [
      /no well-formed XML|64 KiB/,
      () => byRedirect(server, 'x'),
      () => byRedirect(server, Buffer.alloc(1_000_000, ' ')),
      () => byPost(server, 'x'),
    ],
    'of which another element was signed': [
      /where none belongs|does not refer/,
      () => {
        const good = signedLogout(logoutXml(server, { id: '_good', subject: '<saml:NameID>eve</saml:NameID>' }));
        const inner = good.replace(/^<\?xml[^>]*>/, '');
        const evil = logoutXml(server, { id: '_evil' });
        return byPost(server, evil.replace('</samlp:LogoutRequest>', `${inner}</samlp:LogoutRequest>`));
      },
    ],
  };
  for (const [what, [reason, ...sends]] of Object.entries(hostile)) {
    it(`goes on after a request ${what}, and the log says why`, async () => {
      const { visitor } = await signInByCorp(server);
      for (const send of sends) {
        const before = server.logged().length;
        const seen = await send();
        assert.equal(seen.status, 400);
        const logged = server.logged().slice(before);
        assert.match(logged, /provider\.refused/);
        assert.match(logged, reason);
      }
      assert(await isSignedIn(visitor));
    });
  }

  it('goes on after a request that was used before, by either binding', async () => {
    const id = '_once';
    await redirected({ id });
    const { visitor } = await signInByCorp(server);
    for (const again of both({ id })) assert.equal((await again()).status, 400);
    assert.match(server.logged(), /the request was used before/);
    assert(await isSignedIn(visitor));
  });

  it('of another provider here goes on, whose people have the same NameID', async () => {
    const keys = [stranger];
    const metadata = metadataXml({ entityId: 'https://evil.example.com', signOut: THERE, keys });
    await server.provision({ providers: [{ ...aSamlProvider({ sign_out: true, metadata }), id: 'evil' }] });
    const { visitor } = await signInByCorp(server);
    const issuer = 'https://evil.example.com';
    const sending = { key: stranger.privateKey, to: 'evil' };
    const own = await byRedirect(
      server,
      logoutXml(server, { issuer, destination: signedOutAt(server, 'evil') }),
      sending,
    );
    assert(own.location?.startsWith(THERE), 'it is a good one of that provider');
    const elsewhere = await byRedirect(server, logoutXml(server, { issuer }), { ...sending, to: 'corp' });
    assert.equal(elsewhere.status, 400);
    assert(await isSignedIn(visitor));
  });

  it('is not there without sign_out, nor for a provider of another type or none', async () => {
    const oidc = { id: 'oidc', type: 'oidc', issuer: 'https://a.example', client_id: 'x', sign_out: true } as const;
    await server.provision({ providers: [{ ...aSamlProvider({ sign_out: false }), id: 'quiet' }, oidc] });
    for (const to of ['quiet', 'oidc', 'nobody']) {
      const destination = signedOutAt(server, to);
      assert.equal((await byRedirect(server, logoutXml(server, { destination }), { to })).status, 404);
      assert.equal((await byPost(server, signedLogout(logoutXml(server, { destination })), { to })).status, 404);
    }
  });

  it('the answer to a request of ours may come by post: the browser comes back by itself', async () => {
    const seen = await new Visitor(server.base).go(signedOutAt(server), {
      method: 'POST',
      body: new URLSearchParams({ SAMLResponse: 'PHg+' }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
    });
    assert.deepEqual([seen.status, seen.location], [303, signedOutAt(server)]);
  });
});

describe('a provider of SAML ends a session that is not opened yet', () => {
  const server = samlServer({ provider: { sign_out: true, metadata: metadataXml({ signOut: THERE }) } });
  before(() =>
    server.provision({
      users: [
        { username: 'dora', totp_secret: TOTP_SECRET, links: [{ provider: 'corp', subject: 'alice@corp.example' }] },
      ],
    }),
  );
  const atSecondFactor = async (code: string) => {
    const { visitor, seen } = await signInByCorp(server);
    assert.match(seen.url, /\/login\/totp/);
    return { visitor, answer: () => visitor.send(formWith(seen, 'code'), { code }) };
  };
  const isSignedOut = async (visitor: Visitor) => /\/login/.test((await visitor.follow(`${server.base}/account`)).url);
  const authenticator = anAuthenticator({ now: () => server.services.clock.now() });

  it('between its answer and a second factor here: the code opens nothing any more', async () => {
    const { visitor, answer } = await atSecondFactor(authenticator.code());
    await byRedirect(server, logoutXml(server));
    assert.equal((await answer()).status, 400);
    assert(await isSignedOut(visitor));
  });

  it('while the code opens it: found under the name that it has by then', async t => {
    const { visitor, answer } = await atSecondFactor(authenticator.code(1));
    const { store } = server.services;
    const end = store.endSession.bind(store);
    let opened: Seen | undefined;
    t.mock.method(store, 'endSession', async (...ended: Parameters<typeof end>) => {
      opened ??= await answer();
      return end(...ended);
    });
    await byRedirect(server, logoutXml(server));
    assert.equal(opened?.status, 302);
    assert(await isSignedOut(visitor));
  });
});

const ECDSA = 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256';
