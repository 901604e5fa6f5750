import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { contentOf, openConsole } from '../../build/in-console.ts';
import { suitePart } from '../../build/suite-part.ts';
import type { Seen, Visitor } from '../../build/visitor.ts';

/** The search of the console as the page /console/search. */
describe('/console/search', () => {
  let visitor: Visitor;
  const fixture = suitePart(() => openConsole());
  before(async () => {
    const { owner } = fixture;
    for (const code of ['shop-two', 'staff']) await owner.ask('POST', '/applications', { code, name: `The ${code}` });
    for (const [code, client_id] of [
      ['shop', 'shop-till'],
      ['staff', 'staff-till'],
    ]) {
      const client = { client_id, client_name: `Till of ${code}`, redirect_uris: ['https://client.example/cb'] };
      const made = await owner.ask('POST', `/applications/${code}/clients`, client);
      assert.equal(made.status, 201, made.text);
    }
    ({ visitor } = await fixture.inConsole('/console'));
  });

  const hitsIn = (seen: Seen) => {
    const [, results = ''] = contentOf(seen).split('data-results>');
    return [...results.matchAll(/<a href="([^"]*)"/g)].map(([, path]) => path);
  };
  const find = async (q: string, as = visitor) => as.go(fixture.at(`/console/search?q=${encodeURIComponent(q)}`));

  it('finds users, with their names, and by their whole identifier', async () => {
    const sub = await fixture.subOf('carol');
    assert.deepEqual(hitsIn(await find('carol')), [`/console/users/${sub}`]);
    assert.deepEqual(hitsIn(await find(sub)), [`/console/users/${sub}`]);
  });

  it('finds applications and clients, by a part of identifier or name', async () => {
    assert.deepEqual(hitsIn(await find('e SHOP-tw')), ['/console/applications/shop-two']);
    assert.deepEqual(hitsIn(await find('till')), [
      '/console/applications/shop/clients/shop-till',
      '/console/applications/staff/clients/staff-till',
    ]);
    assert.deepEqual(hitsIn(await find('Till of st')), ['/console/applications/staff/clients/staff-till']);
  });

  it('finds pages by their names, all of them without a text, and in English whatever the language', async () => {
    assert.deepEqual(hitsIn(await find('webh')), ['/console/webhooks']);
    const all = hitsIn(await find(''));
    assert.deepEqual([all.includes('/console/settings'), all.includes('/console/activity')], [true, true]);
    const wish = { headers: { 'accept-language': 'zh' } };
    const chinese = await visitor.go(fixture.at('/console/search?q=webh'), wish);
    assert.deepEqual(hitsIn(chinese), ['/console/webhooks']);
  });

  it('finds a refused request by its identifier, and the events of a request', async () => {
    const refused = await fetch(`${fixture.server.at()}/auth?client_id=shop-till&redirect_uri=https://evil.example`);
    const id = refused.headers.get('x-request-id') ?? '';
    await refused.arrayBuffer();
    assert.deepEqual(hitsIn(await find(id)), [`/console/refusals/${id}`]);
    const [event] = (await fixture.owner.ask('GET', '/events?type=client.created')).json.items;
    assert.deepEqual(hitsIn(await find(event.request_id)), [`/console/activity?request_id=${event.request_id}`]);
  });

  it('says that it has found nothing, and a text is no markup', async () => {
    const none = await find('<b>nothing');
    assert.match(contentOf(none), /Nothing found for “&lt;b&gt;nothing”/);
    assert.equal((await find('x'.repeat(5000))).status, 200);
  });

  it('attack: an operator of one application finds nothing of another, no user and no page that is not theirs', async () => {
    const body = { username: 'bob', role: 'operator', applications: ['shop'] };
    assert.equal((await fixture.owner.ask('POST', '/operators', body)).status, 201);
    const limited = (await fixture.inConsole('/console', 'bob')).visitor;
    assert.deepEqual(hitsIn(await find('till', limited)), ['/console/applications/shop/clients/shop-till']);
    assert.deepEqual(hitsIn(await find('staff', limited)), []);
    assert.deepEqual(hitsIn(await find('carol', limited)), []);
    assert.deepEqual(hitsIn(await find(await fixture.subOf('carol'), limited)), []);
    assert.deepEqual(hitsIn(await find('Operators', limited)), []);
    const refused = await fetch(
      `${fixture.server.at('staff')}/auth?client_id=staff-till&redirect_uri=https://evil.example`,
    );
    await refused.arrayBuffer();
    assert.deepEqual(hitsIn(await find(refused.headers.get('x-request-id') ?? '', limited)), []);
    const [event] = (await fixture.owner.ask('GET', '/events?type=client.created&application=staff')).json.items;
    assert.deepEqual(hitsIn(await find(event.request_id, limited)), []);
  });
});
