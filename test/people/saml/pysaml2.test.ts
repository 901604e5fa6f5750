import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { claimsOf, redeem, refresh, userinfo } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { eventsDuring } from '../../build/events.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer, type TestServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';
import { answerIn, authorizationUrl, formWith, type Seen, Visitor } from '../../build/visitor.ts';
import { buttonOf } from '../federation/federated.ts';
import { aSamlProvider, audienceOf, bring, callbackAt, metadataXml } from './corp.ts';
import { idpAddress, startIdp } from './pysaml2/idp.ts';

const BYE = 'https://client.example/bye';

const SHAPES = {
  'a signed assertion': { sign_assertion: true, sign_response: false, encrypt: null },
  'a signed response': { sign_assertion: false, sign_response: true, encrypt: null },
  'both signed': { sign_assertion: true, sign_response: true, encrypt: null },
  'an assertion that is signed, and encrypted with AES-GCM': {
    sign_assertion: true,
    sign_response: false,
    encrypt: 'aes-gcm',
  },
  'an encrypted assertion in a signed response': { sign_assertion: false, sign_response: true, encrypt: 'aes-gcm' },
  'an assertion that is encrypted as pysaml2 does it, with CBC, in a signed response': {
    sign_assertion: true,
    sign_response: true,
    encrypt: 'default',
  },
} as const;

describe('a sign-in with pysaml2, an identity provider of another project', () => {
  let aheadSeconds = 0;
  /** Of the last assertion, where it was not encrypted. */
  let sessionIndex = '';

  const clock = suitePart(() => fixedClock(Math.floor(Date.now() / 1000)));
  const server = suiteServer(() => ({ clock, env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' }, applications: [] }));
  const idp = suitePart(async () => {
    const base = await idpAddress();
    const groups = { engineers: 'staff' };
    await register(aSamlProvider({ metadata_url: `${base}/metadata`, groups, sign_out: true }));
    const { text } = await new Visitor(server.base).go(audienceOf(server));
    const started = await startIdp(base, text);
    await started.set({
      attributes: { mail: 'bob@corp.example', uid: 'bob', givenName: 'Bob', sn: 'Builder', isMemberOf: 'engineers' },
    });
    return started;
  });

  const register = (provider: ReturnType<typeof aSamlProvider>) =>
    server.provision({
      providers: [provider],
      applications: [anApplication({ providers: ['corp'], clients: [aClient({ post_logout_redirect_uris: [BYE] })] })],
    });

  /** From the application through the provider to its answer. */
  const walk = async (visitor = new Visitor(server.base)): Promise<Seen> => {
    clock.advance(Math.floor(Date.now() / 1000) + aheadSeconds - clock.now());
    const page = await visitor.follow(authorizationUrl(server, { scope: 'openid profile email' }));
    const gone = await visitor.send(buttonOf(page, 'corp'));
    const upstream = new Visitor(idp.base);
    const answer = gone.location
      ? await upstream.go(gone.location)
      : await upstream.send(formWith(gone, 'SAMLRequest'));
    const response = / name="SAMLResponse" value="([^"]*)"/.exec(answer.text)?.[1];
    assert(response, `${answer.status} ${answer.text.slice(0, 1000)}`);
    assert(answer.text.includes(callbackAt(server)), answer.text);
    sessionIndex = / SessionIndex="([^"]*)"/.exec(Buffer.from(response, 'base64').toString())?.[1] ?? '';
    return bring(server, visitor, Buffer.from(response, 'base64').toString(), { origin: idp.base });
  };

  for (const [name, shape] of Object.entries(SHAPES)) {
    it(`ends in tokens with ${name}`, async () => {
      await idp.set(shape);
      const claims = await tokensOf(server, await walk());
      assert.deepEqual(claims.amr, ['fed']);
      assert.equal(claims.preferred_username, 'bob');
      assert.equal(claims.given_name, 'Bob');
      assert.equal(claims.email, 'bob@corp.example');
      const { membership } = (await server.services.store.findAccount('bob')) ?? {};
      assert.deepEqual(membership?.groups, ['staff']);
    });
  }

  it('ends there too with sign_out, by a signed request, and comes back to where the client wanted it', async () => {
    await idp.set(SHAPES['a signed assertion']);
    const visitor = new Visitor(server.base);
    const { code = '' } = answerIn(await walk(visitor));
    const { json } = await redeem(server, code);
    const wanted = new URLSearchParams({ id_token_hint: json.id_token, post_logout_redirect_uri: BYE, state: 'st' });
    const { location = '' } = await visitor.follow(`${server.at()}/logout?${wanted}`);
    assert(location.startsWith(`${idp.base}/slo?SAMLRequest=`), location);
    const there = await new Visitor(idp.base).go(location);
    const { signed, name_id, session_index } = await idp.seen();
    assert.deepEqual([signed, name_id, session_index?.length], [true, 'u-1', 1]);
    assert(there.location?.startsWith(`${server.base}/login/provider/corp/signed-out?SAMLResponse=`) === true);
    assert.equal((await visitor.follow(there.location ?? '')).location, `${BYE}?state=st`);
    assert.match((await visitor.follow(`${server.base}/account`)).url, /\/login/);
  });

  /** What the provider sends a browser with to end sessions; the browser is any. */
  const endBy = async (binding: 'redirect' | 'post', more: Readonly<Record<string, string>> = {}): Promise<Seen> => {
    const query = new URLSearchParams({ binding, ...more });
    const { text } = await new Visitor(idp.base).go(`${idp.base}/end?${query}`);
    const { location, page } = JSON.parse(text) as { readonly location?: string; readonly page?: string };
    const browser = new Visitor(server.base);
    if (location !== undefined) return browser.go(location);
    const inputOf = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page ?? '')?.[1] ?? '';
    const fields = { SAMLRequest: inputOf('SAMLRequest'), RelayState: inputOf('RelayState') };
    return browser.go(`${server.base}/login/provider/corp/signed-out`, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'cross-site',
        origin: idp.base,
      },
    });
  };
  const isSignedIn = async (visitor: Visitor) => !/\/login/.test((await visitor.follow(`${server.base}/account`)).url);

  for (const binding of ['redirect', 'post'] as const) {
    it(`ends here when the provider ends it, by ${binding} (SAML profiles section 4.4), and the provider gets a signed answer`, async () => {
      await idp.set(SHAPES['a signed assertion']);
      const [one, other] = [new Visitor(server.base), new Visitor(server.base)];
      const { code = '' } = answerIn(await walk(one));
      const { json } = await redeem(server, code);
      await walk(other);
      assert.deepEqual([await isSignedIn(one), await isSignedIn(other)], [true, true]);
      const ended = await eventsDuring(server, 'session.ended', async () => {
        const { location = '' } = await endBy(binding);
        assert(location.startsWith(`${idp.base}/slo?SAMLResponse=`), location);
        await new Visitor(idp.base).go(location);
      });
      assert(ended.length >= 2, 'those of earlier tests too');
      assert(ended.every(({ details }) => details?.reason === 'provider'));
      const { signed, status, relay_state } = await idp.seen();
      assert.deepEqual(
        [signed, status, relay_state],
        [true, 'urn:oasis:names:tc:SAML:2.0:status:Success', 'their-state'],
      );
      assert.deepEqual([await isSignedIn(one), await isSignedIn(other)], [false, false]);
      assert.equal((await refresh(server, json.refresh_token)).status, 400, 'and what came from the session');
    });
  }

  it('ends alone where the provider names its SessionIndex, and not for another person', async () => {
    const [one, other] = [new Visitor(server.base), new Visitor(server.base)];
    await walk(one);
    const index = sessionIndex;
    await walk(other);
    await endBy('redirect', { subject: 'u-2' });
    await endBy('post', { index: 'id-of-nobody' });
    assert.deepEqual([await isSignedIn(one), await isSignedIn(other)], [true, true]);
    await endBy('redirect', { index });
    assert.deepEqual([await isSignedIn(one), await isSignedIn(other)], [false, true]);
  });

  it('goes on where the provider did not sign that it ends it', async () => {
    const visitor = new Visitor(server.base);
    await walk(visitor);
    for (const binding of ['redirect', 'post'] as const) {
      assert.equal((await endBy(binding, { sign: 'no' })).status, 400);
    }
    assert.match(server.logged(), /the request is not signed/);
    assert(await isSignedIn(visitor));
  });

  it('is refused with CBC and a response that is not signed', async () => {
    await idp.set({ ...SHAPES['a signed assertion'], encrypt: 'default' });
    assert.match((await walk()).text, /could not be verified/);
    assert.match(server.logged(), /encrypted with CBC/);
    await idp.set({ encrypt: null });
  });

  it('begins with a signed request where the provider wants that, by redirect and by post', async () => {
    for (const binding of ['redirect', 'post'] as const) {
      await idp.set({ ...SHAPES['a signed assertion'], wants_signed: true, bindings: [binding] });
      // As it was published before, the document is good for five minutes.
      await register(aSamlProvider({ metadata_url: `${idp.base}/metadata?${binding}` }));
      assert(answerIn(await walk()).code);
      const seen = await idp.seen();
      assert.equal(seen.signed, true);
      assert.match(seen.binding, binding === 'post' ? /HTTP-POST$/ : /HTTP-Redirect$/);
    }
    await idp.set({ wants_signed: false, bindings: ['redirect'] });
  });

  it('goes on when the provider has a new signing certificate', async () => {
    assert(answerIn(await walk()).code);
    await idp.set({ key: 'second' });
    // They are read anew every ten seconds at most; a busy machine may take longer to answer than this server waits.
    await until('the new certificate is read', async () => {
      aheadSeconds += 11;
      const { location } = await walk();
      return location?.includes('code=') ?? false;
    });
  });

  it('ends at the page where the provider has a new certificate, and its metadata are those of a file', async () => {
    const { text } = await new Visitor(server.base).go(`${idp.base}/metadata`);
    await server.provision({ providers: [{ id: 'corp', type: 'saml', metadata_url: null, metadata: text }] });
    assert(answerIn(await walk()).code);
    await idp.set({ key: 'first' });
    assert.match((await walk()).text, /could not be verified/);
    assert.match(server.logged(), /no key in the metadata/);
    assert.notEqual(text, metadataXml());
  });
});

async function tokensOf(server: TestServer, seen: Seen) {
  const { code } = answerIn(seen);
  assert(code, seen.text);
  const { json } = await redeem(server, code);
  return { ...(await userinfo(server, json.access_token)).json, ...claimsOf(json.id_token) };
}
