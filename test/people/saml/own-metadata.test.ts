import assert from 'node:assert/strict';
import { type KeyObject, X509Certificate } from 'node:crypto';
import { describe, it } from 'node:test';
import { readXml } from '../../../src/people/saml/xml.rules.ts';
import { gatehouse } from '../../build/command.ts';
import { anOperatorClient } from '../../build/operator.ts';
import type { TestServer } from '../../build/test-server.ts';
import { answerIn, Visitor } from '../../build/visitor.ts';
import { audienceOf, bring, callbackAt, leaveFor, metadataXml, samlServer } from './corp.ts';
import { assertionIn, assertionXml, encrypted, type ResponseParts, responseXml, signed } from './messages.ts';

describe('the metadata of this server at a SAML provider (SAML metadata section 2.4.4)', () => {
  const server = samlServer({ provider: { sign_requests: true } });

  it('are what a provider needs to know, and the same each time', async () => {
    const seen = await new Visitor(server.base).go(audienceOf(server));
    assert.equal(seen.headers.get('content-type'), 'application/samlmetadata+xml');
    assert.equal(readXml(seen.text, { maxLength: 100_000 }).kind, 'read');
    assert(seen.text.includes(`entityID="${audienceOf(server)}"`));
    assert(seen.text.includes(`Location="${callbackAt(server)}"`));
    assert.match(seen.text, /AuthnRequestsSigned="true" WantAssertionsSigned="true"/);
    assert.doesNotMatch(seen.text, /SingleLogoutService/);
    assert.equal((await new Visitor(server.base).go(audienceOf(server))).text, seen.text);
  });

  it('have one key, however many ask for the first one at once', async () => {
    await server.provision({ providers: [{ id: 'second', type: 'saml', metadata: metadataXml() }] });
    const ask = () => new Visitor(server.base).go(`${server.base}/login/provider/second/metadata`);
    const texts = await Promise.all(Array.from({ length: 5 }, ask));
    assert.deepEqual(new Set(texts.map(({ text }) => text)).size, 1);
  });

  it('are not there for a provider of another type, nor for none', async () => {
    await server.provision({ providers: [{ id: 'oidc', type: 'oidc', issuer: 'https://a.example', client_id: 'x' }] });
    for (const id of ['oidc', 'nobody']) {
      assert.equal((await new Visitor(server.base).go(`${server.base}/login/provider/${id}/metadata`)).status, 404);
    }
  });

  it('have the key for which an assertion can be encrypted, also while it is replaced', async () => {
    const owner = await anOperatorClient(server);
    const rotate = (step: string) => owner.ask('POST', '/providers/corp/rotate-key', { step });
    const before = await keysOf(server);
    assert.equal(before.signing.length, 1);
    assert.equal((await rotate('use')).status, 409);
    assert.deepEqual((await rotate('add')).json, { keys: 2 });
    assert.equal((await rotate('add')).status, 409);
    const added = await keysOf(server);
    assert.equal(added.signing.length, 2);
    assert.deepEqual(added.encryption, before.encryption);
    assert.deepEqual((await rotate('use')).json, { keys: 2 });
    const used = await keysOf(server);
    assert.deepEqual(used.signing, added.signing.toReversed());
    assert.notDeepEqual(used.encryption, before.encryption);
    // The provider may still encrypt for the old one.
    for (const certificate of [...before.encryption, ...used.encryption]) {
      assert(answerIn(await signInEncrypted(server, certificate)).code);
    }
    assert.deepEqual((await rotate('drop')).json, { keys: 1 });
    const refused = await signInEncrypted(server, before.encryption[0] ?? '');
    assert.match(refused.text, /could not be verified/);
    assert.match(server.logged(), /encrypted for another key/);
  });

  it('are no secret, and the private keys are nowhere else', async () => {
    const owner = await anOperatorClient(server);
    const { json, text } = await owner.ask('GET', '/providers/corp');
    assert.deepEqual(json.secrets, ['private_keys']);
    assert(!text.includes('PRIVATE KEY'));
    assert(!server.logged().includes('PRIVATE KEY'));
  });

  it('stay when an operator changes the provider', async () => {
    const owner = await anOperatorClient(server);
    const before = await keysOf(server);
    assert.equal((await owner.ask('PATCH', '/providers/corp', { name: 'Corporation' })).status, 200);
    await server.provision({ providers: [{ id: 'corp', type: 'saml', name: 'Corp', metadata: metadataXml() }] });
    assert.deepEqual(await keysOf(server), before);
  });
});

describe('a SAML provider is registered', () => {
  const server = samlServer();

  it('with its metadata, or where it publishes them', async () => {
    const owner = await anOperatorClient(server);
    const create = (body: object) => owner.ask('POST', '/providers', { id: 'second', type: 'saml', ...body });
    const faults: readonly (readonly [object, RegExp])[] = [
      [{}, /metadata.*metadata_url/],
      [{ metadata: '<a/>' }, /no SAML metadata/],
      [{ metadata: metadataXml({ keys: [] }) }, /no certificate/],
      [{ metadata: metadataXml(), metadata_url: 'https://a.example' }, /together/],
      [{ metadata_url: 'https://127.0.0.1/metadata' }, /public internet/],
      [{ metadata: metadataXml(), issuer: 'https://a.example' }, /not a field/],
      [{ metadata: metadataXml(), private_keys: 'secret' }, /PEM/],
      [{ metadata: metadataXml(), entity_id: 'gatehouse' }, /URI/],
    ];
    for (const [body, fault] of faults) {
      const { status, text } = await create(body);
      assert.equal(status, 400, text);
      assert.match(text, fault);
    }
    const copied = `\n  <?xml version='1.0' encoding='UTF-8'?>\n<!-- of Corp -->\n${metadataXml()}\n`;
    assert.equal((await create({ metadata: copied })).status, 201);
  });
});

describe('a SAML provider on the command line', () => {
  const server = samlServer();

  it('is made with the text of its metadata, and its key is replaced in three steps', async () => {
    const run = async (...args: string[]) => {
      const { code, out, err } = await gatehouse(server, 'providers', ...args);
      assert.equal(code, 0, err);
      return out;
    };
    await run('create', 'second', '--type', 'saml', '--metadata', metadataXml(), '--sign-requests', 'true');
    assert.match(await run('get', 'second'), /login\/provider\/second\/callback/);
    for (const step of ['add', 'use', 'drop']) await run('rotate-key', 'second', '--step', step);
    const { code } = await gatehouse(server, 'providers', 'rotate-key', 'second', '--step', 'use');
    assert.notEqual(code, 0, 'there is one key again');
  });
});

interface Keys {
  readonly signing: readonly string[];
  readonly encryption: readonly string[];
}

async function keysOf(server: TestServer): Promise<Keys> {
  const { text } = await new Visitor(server.base).go(audienceOf(server));
  const ofUse = (use: string) => {
    const found = text.matchAll(new RegExp(`<md:KeyDescriptor use="${use}">.*?<ds:X509Certificate>([^<]*)`, 'g'));
    return [...found].map(([, certificate = '']) => certificate);
  };
  return { signing: ofUse('signing'), encryption: ofUse('encryption') };
}

/** The assertion signed, then encrypted, in a response that is not signed. */
async function signInEncrypted(server: TestServer, certificate: string) {
  const { visitor, id } = await leaveFor(server);
  const envelope: ResponseParts = { inResponseTo: id, destination: callbackAt(server) };
  const parts = { id: `_e${id}`, inResponseTo: id, recipient: callbackAt(server), audience: audienceOf(server) };
  const whole = signed(responseXml(assertionXml(parts), envelope), parts.id);
  return bring(server, visitor, responseXml(encrypted(assertionIn(whole), { to: publicKeyOf(certificate) }), envelope));
}

function publicKeyOf(certificate: string): KeyObject {
  return new X509Certificate(Buffer.from(certificate, 'base64')).publicKey;
}
