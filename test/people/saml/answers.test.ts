import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventDuring } from '../../build/events.ts';
import type { TestServer } from '../../build/test-server.ts';
import { answerIn, authorizationUrl, formWith, type Seen, Visitor } from '../../build/visitor.ts';
import { answerOf, aSamlProvider, audienceOf, bring, callbackAt, leaveFor, post, SIGN_ON, samlServer } from './corp.ts';
import { assertionXml, responseXml, stranger } from './messages.ts';

/** Each answer arrives by a real post, and is refused in the sign-in that it names. */
describe('an answer of a SAML provider is refused', () => {
  const server = samlServer();

  const refused = (name: string, change: (server: TestServer, id: string) => string, detail: RegExp) =>
    it(name, async () => {
      const { visitor, id } = await leaveFor(server);
      let seen: Seen | undefined;
      const event = await eventDuring(server, 'provider.sign_in.failed', async () => {
        seen = await bring(server, visitor, change(server, id));
      });
      assert.equal(event.details?.reason, 'invalid');
      assert.match(String(event.details?.detail), detail);
      assert.match(seen?.text ?? '', /The answer from Corp could not be verified/);
      assert.equal(await hasSession(server, visitor), false);
    });

  refused(
    'without a signature',
    (server, id) => {
      const callback = callbackAt(server);
      const assertion = assertionXml({ inResponseTo: id, recipient: callback, audience: audienceOf(server) });
      return responseXml(assertion, { inResponseTo: id, destination: callback });
    },
    /neither the response nor the assertion is signed/,
  );
  refused(
    'signed by somebody else',
    (server, id) => answerOf(server, id, {}, {}, { key: stranger.privateKey }),
    /no key/,
  );
  refused('for another audience', (server, id) => answerOf(server, id, { audience: 'urn:example:other' }), /Audience/);
  refused(
    'for the consumer service of another provider',
    (server, id) => answerOf(server, id, { recipient: callbackAt(server, 'other') }),
    /Recipient/,
  );
  refused(
    'with another destination',
    (server, id) => answerOf(server, id, {}, { destination: 'https://elsewhere.example/acs' }),
    /Destination/,
  );
  refused('from another issuer', (server, id) => answerOf(server, id, { issuer: 'https://evil.example' }), /issuer/);
  refused(
    'when its assertion answers another request than its envelope',
    (server, id) => answerOf(server, id, { inResponseTo: '_aaaaaaaaaaaaaaaaaaaaaa' }),
    /another request/,
  );
  refused('when it has expired', (server, id) => answerOf(server, id, { confirmedUntil: -120 }), /expired/);
  refused('an hour after it was issued', (server, id) => answerOf(server, id, { issued: -3601 }), /an hour/);
  it('is none without cookies, in another browser, or a second time', async () => {
    const { visitor, id } = await leaveFor(server);
    const xml = answerOf(server, id, { nameId: 'u-2', attributes: '' });
    const other = new Visitor(server.base);
    await other.follow(authorizationUrl(server));
    for (const stranger of [new Visitor(server.base), other]) {
      const seen = await bring(server, stranger, xml);
      assert.equal(seen.status, 400);
      assert.match(seen.text, /expired, or belongs to another browser/);
    }
    assert(answerIn(await bring(server, visitor, xml)).code);
    const again = await bring(server, visitor, xml);
    assert.equal(again.status, 400);
    assert.equal(again.location, undefined);
  });

  it('is none at the address of another provider', async () => {
    const { visitor, id } = await leaveFor(server);
    await server.provision({ providers: [aSamlProvider(), { ...aSamlProvider(), id: 'other' }] });
    // Signed by the same provider, for the other registration: only the attempt tells them apart.
    const callback = callbackAt(server, 'other');
    const audience = `${server.base}/login/provider/other/metadata`;
    const xml = answerOf(server, id, { recipient: callback, audience }, { destination: callback });
    const seen = await bring(server, visitor, xml, { id: 'other' });
    assert.equal(seen.status, 400);
    assert.equal(await hasSession(server, visitor), false);
  });

  it('goes back to the application that asked, whatever RelayState says (open redirect)', async () => {
    const { visitor, id } = await leaveFor(server);
    const { location = '' } = await bring(server, visitor, answerOf(server, id, { nameId: 'u-3', attributes: '' }), {
      more: { RelayState: 'https://evil.example/' },
    });
    assert(location.startsWith('https://client.example/cb?'), location);
  });

  it('has neither a session nor a redirect elsewhere where it is no response at all', async () => {
    const inputs: readonly Record<string, string>[] = [
      {},
      { SAMLResponse: '' },
      { SAMLResponse: '%%%' },
      { SAMLResponse: encoded('<a/>') },
      { SAMLResponse: Buffer.from([0xff, 0xfe]).toString('base64') },
      // CVE-2017-11427, and entities of one's own: what cannot be read names no sign-in.
      { SAMLResponse: encoded(answerOf(server, null).replace('alice@corp', 'alice@corp.example<!-- -->@corp')) },
      { SAMLResponse: encoded(`<!DOCTYPE x [<!ENTITY a "b">]>${answerOf(server, null)}`) },
      { SAMLart: 'AAQA' },
    ];
    for (const input of inputs) {
      const seen = await new Visitor(server.base).go(callbackAt(server), {
        method: 'POST',
        body: new URLSearchParams(input).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      assert.equal(seen.status, 502, JSON.stringify(input));
      assert.equal(seen.location, undefined);
    }
    const twice = await new Visitor(server.base).go(callbackAt(server), {
      method: 'POST',
      body: 'SAMLResponse=PGEvPg%3D%3D&SAMLResponse=PGEvPg%3D%3D',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    assert.equal(twice.status, 502);
    const large = await post(server, answerOf(server, null).replace('</samlp:Response>', ' '.repeat(600_000)));
    assert.equal(large.status, 413);
    const byQuery = await new Visitor(server.base).go(`${callbackAt(server)}?SAMLResponse=PGEvPg%3D%3D`);
    assert.equal(byQuery.status, 400);
  });

  it('that was sealed for another provider, or changed, or is old, is none', async () => {
    const { visitor, id } = await leaveFor(server);
    const { location = '' } = await post(server, answerOf(server, id, { nameId: 'u-4', attributes: '' }));
    const answer = new URL(location).searchParams.get('answer') ?? '';
    const changed = `${answer.slice(0, 40)}${answer[40] === 'A' ? 'B' : 'A'}${answer.slice(41)}`;
    for (const url of [`${callbackAt(server)}?answer=${changed}`, `${callbackAt(server, 'other')}?answer=${answer}`]) {
      const seen = await visitor.follow(url);
      assert.equal(seen.status, 400, url);
    }
    assert(answerIn(await visitor.follow(location)).code);
  });
});

describe('an answer that no request asked for (IdP-initiated)', () => {
  const strict = samlServer();
  const server = samlServer({ provider: { allow_unsolicited: true } });

  it('is refused unless allow_unsolicited is true, and says so', async () => {
    const seen = await post(strict, answerOf(strict, null));
    assert.equal(seen.status, 502);
    assert.match(strict.logged(), /allow_unsolicited/);
  });

  it('opens a session for the account page, once', async () => {
    const visitor = new Visitor(server.base);
    const xml = answerOf(server, null, { nameId: 'u-1' });
    const seen = await bring(server, visitor, xml);
    assert.equal(new URL(seen.url).pathname, '/account');
    assert.equal(await hasSession(server, visitor), true);
    const other = new Visitor(server.base);
    const replayed = await bring(server, other, xml);
    assert.match(replayed.text, /could not be verified/);
    assert.match(server.logged(), /the assertion was used before/);
    assert.equal(await hasSession(server, other), false);
  });

  it('needs a click where another site posted it, or somebody is signed in (login CSRF)', async () => {
    for (const origin of ['https://evil.example', 'null']) {
      const visitor = new Visitor(server.base);
      const page = await bring(server, visitor, answerOf(server, null, { nameId: 'u-1' }), { origin });
      assert.match(page.text, /Corp wants to sign you in as alice@corp.example/);
      assert.equal(await hasSession(server, visitor), false);
      const accepted = await visitor.send(formWith(page, 'answer'));
      assert.equal(new URL(accepted.url).pathname, '/account');
      const other = await bring(server, visitor, answerOf(server, null, { nameId: 'u-5' }));
      assert.match(other.text, /Corp wants to sign you in/);
    }
  });

  it('needs a click where a program has posted it, and a page makes the browser go on from there (login CSRF)', async () => {
    for (const origin of [null, new URL(SIGN_ON).origin]) {
      const { location = '' } = await post(server, answerOf(server, null, { nameId: 'u-7' }), { origin });
      const victim = new Visitor(server.base);
      const page = await victim.follow(location);
      assert.match(page.text, /Corp wants to sign you in/);
      assert.equal(await hasSession(server, victim), false);
    }
  });

  it('is not accepted by a form of another site, nor in another browser', async () => {
    const visitor = new Visitor(server.base);
    const page = await bring(server, visitor, answerOf(server, null, { nameId: 'u-6' }), { origin: 'null' });
    const form = formWith(page, 'answer');
    const foreign = await visitor.send(form, {}, { 'sec-fetch-site': 'cross-site' });
    assert.equal(foreign.status, 403);
    const other = new Visitor(server.base);
    await other.follow(authorizationUrl(server));
    assert.equal((await other.send(form)).status, 400);
    assert.equal(await hasSession(server, other), false);
  });

  it('never ends a sign-in that an application asked for', async () => {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(authorizationUrl(server));
    const pending = formWith(page, 'pending').fields.get('pending') ?? '';
    const { location = '' } = await post(server, answerOf(server, null, { nameId: 'u-1' }));
    const seen = await visitor.follow(`${location}&pending=${pending}`);
    assert.equal(seen.status, 400);
    assert.equal(await hasSession(server, visitor), false);
  });

  it('is over when the operator no longer allows it', async () => {
    const visitor = new Visitor(server.base);
    const page = await bring(server, visitor, answerOf(server, null, { nameId: 'u-8' }), { origin: 'null' });
    const form = formWith(page, 'answer');
    await server.provision({ providers: [aSamlProvider({ allow_unsolicited: false })] });
    for (const seen of [await visitor.send(form), await visitor.follow(page.url)]) assert.equal(seen.status, 400);
    await server.provision({ providers: [aSamlProvider({ allow_unsolicited: true })] });
    assert.equal(await hasSession(server, visitor), false);
  });

  it('is not made of an answer that some browser asked for', async () => {
    const { id } = await leaveFor(server);
    const victim = new Visitor(server.base);
    const seen = await bring(server, victim, answerOf(server, id, { nameId: 'u-1' }));
    assert.equal(seen.status, 400);
    // Stripped of its envelope's InResponseTo: that of the assertion is signed.
    const stripped = answerOf(server, id, { nameId: 'u-1' }, { inResponseTo: null });
    assert.equal((await bring(server, victim, stripped)).status, 400);
    assert.equal(await hasSession(server, victim), false);
  });
});

async function hasSession(server: TestServer, visitor: Visitor): Promise<boolean> {
  const seen = await visitor.follow(`${server.base}/account`);
  return seen.status === 200 && !seen.text.includes('name="password"');
}

function encoded(xml: string): string {
  return Buffer.from(xml).toString('base64');
}
