import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { seedDemo } from '../../../src/operators/demo/seed.ts';
import { aTokenSet, token } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { directSql } from '../../build/direct-sql.ts';
import { anApplication, aUser } from '../../build/fixture.ts';
import { openConsole } from '../../build/in-console.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { bob, logIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { Visitor } from '../../build/visitor.ts';

const DAY = 86_400;

describe('/console, the overview', () => {
  const clock = fixedClock();
  const server = suiteServer({
    applications: [anApplication(), anApplication({ code: 'bank', name: 'Bank' })],
    users: [aUser(), bob()],
    clock,
  });
  const owner = suitePart(() => anOperatorClient(server));
  before(async () => {
    await owner.ask('POST', '/operators', { username: 'alice', role: 'owner' });
    await owner.ask('POST', '/operators', { username: 'bob', role: 'auditor', applications: ['bank'] });
  });

  const shown = async (username: string) => {
    const visitor = new Visitor(server.base);
    const { text, status } = await logIn(visitor, await visitor.follow(`${server.base}/console`), username);
    assert.equal(status, 200, text);
    return text;
  };
  const tile = (text: string, name: string) => new RegExp(`>${name}</span><b>([^<]*)</b>`).exec(text)?.[1];

  it('has sign-ins, failures, refusals by reason and tokens by grant, as lines and as a table, and no percentile of a few', async () => {
    await aTokenSet(server);
    await token(server, { grant_type: 'password', username: 'alice', password: 'wrong' });
    await server.services.statistics.flush();
    const text = await shown('alice');
    assert.equal(tile(text, 'Sign-ins'), '1');
    assert.equal(tile(text, 'Failed sign-ins'), '1');
    assert.match(
      text,
      /reason=credentialsWrong">User name and password do not match<\/a><\/td><td data-label="Requests">1</,
    );
    assert.match(text, /<code>password<\/code><\/td><td data-label="Responses">1</);
    assert.equal((text.match(/<svg class="chart"/g) ?? []).length, (text.match(/<details>/g) ?? []).length);
    assert.match(text, /aria-label="Sign-ins, hour by hour over the last 24 hours"/);
    assert.equal(tile(text, 'Latency \\(p99\\)'), '–');
    assert.match(text, /Needs at least 1,000 requests; there were \d/);
  });

  it('shows an operator who is limited to applications nothing of others', async () => {
    await server.services.statistics.flush();
    const text = await shown('bob');
    assert.equal(tile(text, 'Failed sign-ins'), '0');
    assert(!text.includes('credentialsWrong'));
    assert.match(text, /Last 24 hours · bank/);
    assert.match(text, /Your role is limited to bank: .*Ask an owner if you need more/);
    assert(!text.includes('No backup is known'));
  });

  it('names the demo beyond the own machine, and a webhook that fails', async () => {
    const fixture = await openConsole();
    const { services } = fixture.server;
    await seedDemo(services);
    const { json } = await fixture.owner.ask('POST', '/webhooks', { url: 'https://hooks.example/' });
    await directSql(fixture.server).query(`UPDATE webhooks SET failing_since = 1 WHERE id = '${json.id}'`);
    const { visitor, seen } = await fixture.inConsole('/console');
    assert.match(seen.text, /Deliveries to https:\/\/hooks\.example fail/);
    assert.doesNotMatch(seen.text, /open to the internet/);
    Object.assign(services.config, { baseUrl: 'https://id.example' });
    assert.match((await visitor.go(fixture.at('/console'))).text, /The demo is open to the internet/);
    assert.equal((await fixture.owner.ask('DELETE', '/applications/demo')).status, 204);
    const left = await visitor.go(fixture.at('/console'));
    assert.match(left.text, /The demo user can sign in from the internet/);
    assert.match(left.text, new RegExp(`/console/users/${await fixture.subOf('demo')}`));
    assert.equal((await fixture.owner.ask('DELETE', `/users/${await fixture.subOf('demo')}`)).status, 204);
    assert.doesNotMatch((await visitor.go(fixture.at('/console'))).text, /open to the internet|from the internet/);
    await fixture.server.close();
  });

  it('takes no application of ours that is called demo for the demo', async () => {
    const fixture = await openConsole({ applications: [anApplication({ code: 'demo' })] });
    const { visitor } = await fixture.inConsole('/console');
    Object.assign(fixture.server.services.config, { baseUrl: 'https://id.example' });
    assert.doesNotMatch((await visitor.go(fixture.at('/console'))).text, /open to the internet/);
    await fixture.server.close();
  });

  it('names a provider that an application offers and that fails again and again, with what to do', async () => {
    const fixture = await openConsole();
    const { services } = fixture.server;
    const provider = { type: 'oidc', issuer: 'https://corp.example', client_id: 'gatehouse' };
    for (const id of ['corp', 'other']) await fixture.owner.ask('POST', '/providers', { ...provider, id });
    await fixture.owner.ask('PATCH', '/applications/shop', { providers: ['corp'] });
    const fail = (subject: string) => {
      const details = { reason: 'refused', detail: 'invalid_client' };
      const actor = { kind: 'user', id: undefined } as const;
      services.recorder.record({ type: 'provider.sign_in.failed', outcome: 'failure', actor, subject, details });
    };
    for (const id of ['corp', 'corp', 'other', 'other', 'other']) fail(id);
    await services.recorder.drain();
    const { visitor, seen } = await fixture.inConsole('/console');
    assert.doesNotMatch(seen.text, /Sign-ins with/);
    fail('corp');
    await services.recorder.drain();
    const { text } = await visitor.go(fixture.at('/console'));
    assert.match(text, /Sign-ins with corp fail<.*Make a new secret.*href="\/console\/providers\/corp\/try">Try it</);
    assert.doesNotMatch(text, /Sign-ins with other/, 'nobody offers it');
    await fixture.server.close();
  });

  it('says that no mail is sent', async () => {
    const silent = await openConsole({ env: { MAIL_URL: 'none' } });
    const { seen } = await silent.inConsole('/console');
    await silent.server.close();
    assert.match(seen.text, /Mail is not set up<.*Nobody can reset a password.*href="\/console\/mail">Set up mail</);
  });

  it('names first what needs attention, with the page that settles it', async () => {
    await owner.ask('POST', '/applications', { code: 'gone', name: 'Gone' });
    await owner.ask('DELETE', '/applications/gone');
    const webhook = { url: 'https://hooks.example/secret-path', event_types: ['user.created'], state: 'paused' };
    const { id } = (await owner.ask('POST', '/webhooks', webhook)).json;
    const text = await shown('alice');
    assert.match(
      text,
      /Gone was deleted; its data is removed in 30 days<.*href="\/console\/applications#deleted">Restore</,
    );
    assert(text.includes(`href="/console/webhooks/${id}"`));
    assert(!text.includes('secret-path'));
  });

  it('names a node that is gone, different versions, a long queue and a key that is overdue, each with its page', async () => {
    const { store } = server.services;
    const now = clock.now();
    const node = { host: 'two.example', port: 3000, version: '1.2.2', startedAt: now - DAY, seenAt: now };
    await store.noteNode(node);
    await store.noteNode({ ...node, host: 'one.example', version: '1.2.3' });
    await store.noteNode({ ...node, host: 'gone.example', seenAt: now - 600 });
    const types = { type: 'user.created', outcome: 'success', actor: { kind: 'system' } } as const;
    const events = Array.from({ length: 1000 }, (_, at) => ({ ...types, id: `evt_00000000${at}`, time: now }));
    await store.recordEvents(events);
    const text = await shown('alice');
    assert.match(text, /gone\.example:3000 was last seen on .*href="\/console\/status#nodes"/);
    assert.match(text, /Nodes run different versions: 1\.2\.2, 1\.2\.3/);
    assert.match(text, /Events waiting for the audit chain: 1,0\d\d waiting<.*href="\/console\/activity"/);
    clock.advance(120 * DAY);
    assert.match(
      await shown('alice'),
      /The RS256 key of shop has been due for rotation since .*href="\/console\/applications\/shop\/keys">Rotate</,
    );
  });
});
