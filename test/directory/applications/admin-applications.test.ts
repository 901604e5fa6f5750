import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RESTORABLE_SECONDS } from '../../../src/directory/applications/rules.ts';
import { get } from '../../build/client.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { withStatus } from '../../build/with-status.ts';
import { client } from '../../store/contract/given.ts';

describe('/api/v1/admin/applications (admin contract)', () => {
  const server = suiteServer();
  const owner = suitePart(() => anOperatorClient(server));

  it('POST creates an application that serves at once, with the defaults of the apply file', async () => {
    const made = await withStatus(201, owner.ask('POST', '/applications', { code: 'bank', name: 'Bank' }));
    assert.deepEqual([made.json.access_token_ttl, made.json.id_token_signed_response_alg], [3600, 'RS256']);
    assert.match(made.headers.get('etag') ?? '', /^"\S+"$/);
    const keys = await get(`${server.at('bank')}/jwks`);
    assert.equal(keys.json.keys.length, 1);
    await withStatus(409, owner.ask('POST', '/applications', { code: 'bank', name: 'Bank' }));
  });

  it('every fault at once, with its place (RFC 9457)', async () => {
    const refused = await owner.ask('POST', '/applications', { code: 'A b', access_token_ttl: 0, colour: 'red' });
    assert.deepEqual([refused.status, refused.headers.get('content-type')], [400, 'application/problem+json']);
    assert.deepEqual(refused.json.errors.map(({ pointer }: { pointer: string }) => pointer).sort(), [
      '/access_token_ttl',
      '/code',
      '/colour',
      '/name',
    ]);
  });

  it('the code "gatehouse" is reserved', async () => {
    assert.equal((await owner.ask('POST', '/applications', { code: 'gatehouse', name: 'x' })).status, 400);
  });

  it('GET one with its ETag, PATCH merges (RFC 7396), null resets to the default', async () => {
    await owner.ask('POST', '/applications', { code: 'patched', name: 'Before', access_token_ttl: 60 });
    const changed = await owner.ask('PATCH', '/applications/patched', { name: 'After', access_token_ttl: null });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual([changed.json.name, changed.json.access_token_ttl], ['After', 3600]);
    const read = await owner.ask('GET', '/applications/patched');
    assert.deepEqual(read.json, changed.json);
    assert.equal(read.headers.get('etag'), changed.headers.get('etag'));
  });

  it('If-Match: a change of a state that was not read is 412, of two that read the same state one succeeds', async () => {
    const made = await owner.ask('POST', '/applications', { code: 'raced', name: 'Raced' });
    const headers = { 'if-match': made.headers.get('etag') ?? '' };
    const patches = ['a', 'b', 'c', 'd'].map(name => owner.ask('PATCH', '/applications/raced', { name }, headers));
    const statuses = (await Promise.all(patches)).map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, 412, 412, 412]);
    assert.equal((await owner.ask('DELETE', '/applications/raced', undefined, headers)).status, 412);
    assert.equal((await owner.ask('PATCH', '/applications/raced', { name: 'e' }, { 'if-match': '*' })).status, 200);
  });

  it('the code cannot be changed', async () => {
    await owner.ask('POST', '/applications', { code: 'fixed', name: 'Fixed' });
    assert.equal((await owner.ask('PATCH', '/applications/fixed', { code: 'other' })).status, 409);
  });

  it('DELETE makes it unreachable at once, restore brings it back with its clients and keys', async () => {
    await owner.ask('POST', '/applications', { code: 'gone', name: 'Gone' });
    const discovery = `${server.at('gone')}/.well-known/openid-configuration`;
    const keysBefore = await get(`${server.at('gone')}/jwks`);
    assert.equal((await owner.ask('DELETE', '/applications/gone')).status, 204);
    assert.equal((await get(discovery)).status, 404);
    assert.equal((await owner.ask('GET', '/applications/gone')).status, 404);
    const deleted = await owner.ask('GET', '/applications?deleted=true');
    assert.deepEqual(
      deleted.json.items.map(({ code }: { code: string }) => code),
      ['gone'],
    );
    assert.equal((await owner.ask('POST', '/applications', { code: 'gone', name: 'Again' })).status, 409);
    assert.equal((await owner.ask('POST', '/applications/gone/restore')).status, 200);
    assert.equal((await get(discovery)).status, 200);
    assert.deepEqual((await get(`${server.at('gone')}/jwks`)).json, keysBefore.json);
    assert.equal((await owner.ask('POST', '/applications/gone/restore')).status, 409);
  });

  it('30 days after it was deleted, nothing of it is left but its events', async () => {
    await owner.ask('POST', '/applications', { code: 'forgotten', name: 'Forgotten' });
    await owner.ask('POST', '/applications/forgotten/clients', {
      client_id: 'only',
      redirect_uris: ['https://f.example/'],
    });
    await owner.ask('DELETE', '/applications/forgotten');
    const { store, clock } = server.services;
    assert.deepEqual(await store.removeDeletedApplications(clock.now() - RESTORABLE_SECONDS), []);
    assert.deepEqual(await store.removeDeletedApplications(clock.now() + 1), ['forgotten']);
    assert.equal((await owner.ask('POST', '/applications/forgotten/restore')).status, 404);
    assert.deepEqual([await store.signingKeys('forgotten'), await store.clientsOf('forgotten')], [[], []]);
  });

  it('a later application of the same code inherits nothing of one that was removed', async () => {
    for (const code of ['former', 'kept']) await owner.ask('POST', '/applications', { code, name: code });
    const user = async (username: string, over: object = {}) =>
      (await withStatus(201, owner.ask('POST', '/users', { username, ...over }))).json.sub as string;
    const member = await user('member', { roles: { former: ['admin'], kept: ['reader'] } });
    const only = await user('only-member', { groups: ['staff'], roles: { former: ['admin'] } });
    const operator = await user('former-operator');
    await withStatus(
      201,
      owner.ask('POST', '/operators', { sub: operator, role: 'operator', applications: ['former', 'kept'] }),
    );
    const limited = { name: 'former', role: 'operator', applications: ['former'] };
    const { id } = (await withStatus(201, owner.ask('POST', '/api_keys', limited))).json;
    const { store, clock, subjects, registry } = server.services;
    const shown = async () =>
      (await subjects.shownTo('former', client({ subject_type: 'pairwise' }), { sub: member })).sub;
    const before = await shown();
    await owner.ask('DELETE', '/applications/former');
    assert.deepEqual(await store.removeDeletedApplications(clock.now() + 1), ['former']);

    const of = async (path: string) => (await owner.ask('GET', path)).json;
    assert.deepEqual((await of(`/users/${member}`)).roles, { kept: ['reader'] });
    assert.deepEqual([(await of(`/users/${only}`)).roles, (await of(`/users/${only}`)).groups], [undefined, ['staff']]);
    assert.deepEqual((await of(`/operators/${operator}`)).applications, ['kept']);
    const keys: { id: string; applications?: string[] }[] = (await of('/api_keys')).items;
    assert.deepEqual(keys.find(key => key.id === id)?.applications, [], 'none, and not all');
    await registry.refresh();
    assert.notEqual(await shown(), before, 'with another salt of its pairwise subjects');
  });

  it('lists in pages with a cursor that survives inserts and deletes', async () => {
    for (const code of ['p1', 'p2', 'p3', 'p4', 'p5']) await owner.ask('POST', '/applications', { code, name: code });
    const seen: string[] = [];
    let next = '';
    do {
      const page = await withStatus(200, owner.ask('GET', `/applications?limit=2${next && `&cursor=${next}`}`));
      seen.push(...page.json.items.map(({ code }: { code: string }) => code));
      if (seen.includes('p2') && !seen.includes('p4')) await owner.ask('DELETE', '/applications/p2');
      next = page.json.next;
    } while (next);
    assert.deepEqual(
      seen.filter(code => /^p\d$/.test(code)),
      ['p1', 'p2', 'p3', 'p4', 'p5'],
    );
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'offset=3', 'cursor=%00', 'limit=1&limit=2'])
      assert.equal((await owner.ask('GET', `/applications?${query}`)).status, 400, query);
  });
});
