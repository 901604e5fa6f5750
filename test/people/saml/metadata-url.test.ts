import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { fixedClock } from '../../build/clock.ts';
import { openDocumentServer } from '../../build/document-server.ts';
import { anApplication } from '../../build/fixture.ts';
import { listen } from '../../build/listen.ts';
import { suitePart, testPart } from '../../build/suite-part.ts';
import { IMPATIENT } from '../../build/test-server.ts';
import { answerIn, authorizationUrl, formWith, signIn, Visitor } from '../../build/visitor.ts';
import { buttonOf } from '../federation/federated.ts';
import { answerOf, aSamlProvider, bring, leaveFor, metadataXml, startSamlServer } from './corp.ts';
import { NOW, provider, stranger } from './messages.ts';

/** `metadata_url`: what a provider publishes changes without an operator. */
describe('metadata that a SAML provider publishes', () => {
  let path = '';
  let count = 0;

  const published = suitePart(openDocumentServer);
  const clock = testPart(() => fixedClock(NOW));
  beforeEach(() => {
    path = `/metadata-${++count}`;
    published.answer(path, { body: metadataXml() });
  });
  const server = testPart(() =>
    startSamlServer({
      clock,
      env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
      provider: { metadata_url: published.at(path) },
    }),
  );

  const finished = async (visitor: Visitor, xml: string) => {
    const seen = await bring(server, visitor, xml);
    return seen;
  };

  it('are read once for many sign-ins', async () => {
    for (const nameId of ['u-1', 'u-2', 'u-3']) {
      const { visitor, id } = await leaveFor(server);
      assert(answerIn(await bring(server, visitor, answerOf(server, id, { nameId, attributes: '' }))).code);
    }
    assert.equal(published.count(path), 1);
  });

  it('are read anew where no key fits, so a provider replaces its key by itself', async () => {
    const { visitor, id } = await leaveFor(server);
    published.answer(path, { body: metadataXml({ keys: [provider, stranger] }) });
    clock.advance(11);
    assert(answerIn(await finished(visitor, answerOf(server, id, {}, {}, { key: stranger.privateKey }))).code);
    assert.equal(published.count(path), 2);
  });

  it('are not read anew for every forged answer', async () => {
    const { visitor, id } = await leaveFor(server);
    clock.advance(11);
    for (let each = 0; each < 5; each++) {
      await bring(server, new Visitor(server.base), answerOf(server, id, {}, {}, { key: stranger.privateKey }));
    }
    assert(answerIn(await finished(visitor, answerOf(server, id))).code);
    assert.equal(published.count(path), 2);
  });

  it('no longer have a key that the provider has withdrawn, an hour later at the latest', async () => {
    await leaveFor(server);
    published.answer(path, { body: metadataXml({ keys: [stranger] }) });
    clock.advance(3601);
    const { visitor, id } = await leaveFor(server);
    const seen = await finished(
      visitor,
      answerOf(server, id, { issued: 3600, confirmedUntil: 3900, notOnOrAfter: 3900 }),
    );
    assert.match(seen.text, /could not be verified/);
  });

  it('that do not end: nobody else waits', async () => {
    const end = Promise.withResolvers<void>();
    published.answer(path, { body: 'no metadata', when: end.promise });
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(authorizationUrl(server));
    let hasEnded = false;
    const waiting = visitor.send(buttonOf(page, 'corp')).finally(() => {
      hasEnded = true;
    });
    assert(answerIn(await signIn(server)).code);
    assert.equal(hasEnded, false);
    end.resolve();
    assert.match((await waiting).text, /Corp didn’t answer/);
  });

  for (const [name, answer] of Object.entries({
    'that are not there': { status: 404 },
    'that fail': { status: 503 },
    'that are a page': { body: '<!doctype html><title>Sign in</title>' },
    'that have ended': { body: metadataXml({ validUntil: '2027-02-28T00:00:00Z' }) },
    'of 5 MB': { body: 'x'.repeat(5_000_000) },
    'that redirect': { status: 302, headers: { location: 'https://127.0.0.1/other' } },
  })) {
    it(`${name}: the page says that Corp did not answer, and the password form is there`, async () => {
      published.answer(path, answer);
      const visitor = new Visitor(server.base);
      const page = await visitor.follow(authorizationUrl(server));
      const seen = await visitor.send(buttonOf(page, 'corp'));
      assert.match(seen.text, /Corp didn’t answer/);
      assert(formWith(seen, 'password'));
    });
  }
});

describe('metadata that never come (SSRF, slow providers)', () => {
  it('are waited for until the timeout of outbound requests, and the page says whose answer is missing', async () => {
    const end = Promise.withResolvers<void>();
    const slow = await openDocumentServer();
    slow.answer('/metadata', { body: metadataXml(), when: end.promise });
    const env = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', ...IMPATIENT };
    const server = await startSamlServer({ env, provider: { metadata_url: slow.at('/metadata') } });
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(authorizationUrl(server));
    assert.match((await visitor.send(buttonOf(page, 'corp'))).text, /Corp didn’t answer/);
    end.resolve();
    await server.close();
    await slow.close();
  });

  it('are not asked of the inner network, whether it answers or not', async () => {
    let requests = 0;
    const inner = await listen((_, outgoing) => {
      requests++;
      outgoing.end(metadataXml());
    });
    const server = await startSamlServer({ provider: { metadata_url: `${inner.origin}/` } });
    const addresses = [`${inner.origin}/`, `http://[::1]:${inner.port}/`, 'https://169.254.169.254/latest/meta-data'];
    for (const metadata_url of addresses) {
      await server.provision({
        providers: [aSamlProvider({ metadata_url })],
        applications: [anApplication({ providers: ['corp'] })],
      });
      const visitor = new Visitor(server.base);
      const page = await visitor.follow(authorizationUrl(server));
      const seen = await visitor.send(buttonOf(page, 'corp'));
      assert.match(seen.text, /Corp didn’t answer/);
    }
    assert.equal(requests, 0);
    await server.close();
    await inner.close();
  });
});
