import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aSigningPair } from '../../build/assertion.ts';
import { METADATA, sendJson } from '../../build/assistant.ts';
import { filledForm } from '../../build/console.ts';
import { suiteConsole } from '../../build/in-console.ts';
import { aPublishedClient } from '../../build/published-client.ts';
import { formWith, type Seen } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const console = suiteConsole();

const SHOP = '/console/applications/shop';
const register = (token?: string) => sendJson(`${console.server.at()}/register`, 'POST', METADATA, { token });

describe('clients that register themselves, in the console (modern contract)', () => {
  it('the settings of an application turn them on, with hosts line by line, and tell faults beside the field', async () => {
    const { visitor, seen } = await console.inConsole(`${SHOP}/advanced`);
    const typed = { client_id_metadata: 'listed', dynamic_registration: 'token' };
    const faulty = await visitor.send(formWith(seen, 'client_id_metadata'), {
      ...typed,
      'client_id_metadata.hosts': 'https://client.example',
    });
    assert.equal(faulty.status, 400);
    const saved = await visitor.send(formWith(seen, 'client_id_metadata'), {
      ...typed,
      'client_id_metadata.hosts': 'client.example\r\n*.tools.example\r\n',
    });
    assert.equal(saved.status, 200, saved.text);
    const { client_id_metadata, dynamic_registration } = (await console.owner.ask('GET', '/applications/shop')).json;
    assert.deepEqual([client_id_metadata, dynamic_registration], [['client.example', '*.tools.example'], 'token']);
    assert.match(saved.text, /client\.example\n\*\.tools\.example/);
  });

  it('issuers of software statements are lines: with the address of their keys, or with the keys themselves', async () => {
    const { visitor, seen } = await console.inConsole(`${SHOP}/advanced`);
    const { kid: _, ...key } = aSigningPair('ES256').publicJwk;
    const typed = `https://directory.example  https://directory.example/keys\r\n\r\nBanks Ltd {"keys": [${JSON.stringify(key)}]}`;
    const formOf = (page: Seen) => filledForm(page, 'software_statements.issuers');
    const saved = await visitor.send(formOf(seen), {
      ...{ 'software_statements.issuers': typed, 'software_statements.required': 'true' },
    });
    assert.equal(saved.status, 200, saved.text);
    const stored = async () => (await console.owner.ask('GET', '/applications/shop')).json.software_statements;
    const expected = {
      required: true,
      issuers: [
        { issuer: 'https://directory.example', jwks_uri: 'https://directory.example/keys' },
        { issuer: 'Banks Ltd', jwks: { keys: [key] } },
      ],
    };
    assert.deepEqual(await stored(), expected);
    await withStatus(200, visitor.send(formOf(saved), {}));
    assert.deepEqual(await stored(), expected, 'what the form shows is what it sends');

    const odd = { issuer: 'Banks {EU}', jwks_uri: 'https://banks.example/keys' };
    await console.owner.ask('PATCH', '/applications/shop', { software_statements: { issuers: [odd] } });
    assert.deepEqual(await stored(), { required: true, issuers: [odd] }, 'a merge patch');
    const shown = await visitor.go(console.at(`${SHOP}/advanced`));
    const resaved = await withStatus(200, visitor.send(formOf(shown), {}));
    assert.deepEqual(await stored(), { required: true, issuers: [odd] });

    const faults: readonly (readonly [string, RegExp])[] = [
      ['https://directory.example', /must be set, or jwks_uri/],
      ['Banks Ltd {"keys": [}', /must be a JWK Set/],
      [`x${' '.repeat(60_000)}y`, /must be an https address/],
      ['x ftp://x.example/keys', /must be an https address/],
      ['', /must not be empty/],
    ];
    for (const [lines, fault] of faults) {
      const faulty = await visitor.send(formOf(resaved), {
        ...{ 'software_statements.issuers': lines, 'software_statements.required': 'true' },
      });
      assert.equal(faulty.status, 400, lines);
      assert.match(faulty.text, new RegExp(`id="software_statements.issuers-fault">[^<]*${fault.source}`), lines);
    }
    const emptied = { 'software_statements.issuers': '', 'software_statements.required': '' };
    assert.equal((await visitor.send(formOf(resaved), emptied)).status, 200);
    assert.equal(await stored(), undefined);
  });

  it('an initial access token is shown once, registers a client, and is deleted by its name', async () => {
    const { visitor, seen } = await console.inConsole(`${SHOP}/initial-access-tokens`);
    const made = await visitor.send(formWith(seen, 'days'), { name: 'partner', days: '30' });
    const token = /gia_[\w-]{43}/.exec(made.text)?.[0];
    assert(token, made.text);
    const { json } = await withStatus(201, register(token));

    const page = await visitor.go(console.at(SHOP));
    assert.match(page.text, /Dynamic registration/);
    const client = await visitor.go(console.at(`${SHOP}/clients/${json.client_id}/settings`));
    assert.match(client.text, /registered via:[^<]*Dynamic registration/);
    const patch = { 'content-type': 'application/merge-patch+json' };
    const one = `/applications/shop/clients/${json.client_id}`;
    const changed = await console.owner.ask('PATCH', one, { client_name: 'Renamed', require_consent: false }, patch);
    assert.equal(changed.status, 200, changed.text);
    assert.equal(changed.json.origin, 'dynamic_registration', 'it stays one that registered itself');
    assert.equal((await console.owner.ask('PATCH', one, { origin: null }, patch)).status, 200);
    assert.equal((await console.owner.ask('GET', one)).json.origin, 'dynamic_registration');
    assert.equal((await console.owner.ask('PATCH', one, { origin: 'x' }, patch)).status, 400);

    const again = await visitor.go(console.at(`${SHOP}/initial-access-tokens`));
    assert(!again.text.includes(token));
    await withStatus(400, visitor.send(formWith(again, 'confirm'), { confirm: 'x' }));
    await visitor.send(formWith(again, 'confirm'), { confirm: 'partner' });
    assert.equal((await register(token)).status, 401);
  });

  it('a client of a document is shown and can be deleted, not changed', async () => {
    const path = `/applications/shop/clients/${encodeURIComponent(await aPublishedClient(console.server))}`;
    assert.equal((await console.owner.ask('GET', path)).json.origin, 'client_id_metadata');
    const headers = { 'content-type': 'application/merge-patch+json' };
    assert.equal((await console.owner.ask('PATCH', path, { client_name: 'x' }, headers)).status, 409);
    const { seen } = await console.inConsole(`/console${path}/settings`);
    assert.match(seen.text, /Client ID metadata document/);
    assert.equal((await console.owner.ask('DELETE', path)).status, 204);
  });
});
