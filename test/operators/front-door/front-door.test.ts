import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seedDemo } from '../../../src/operators/demo/seed.ts';
import { frontDoor } from '../../../src/operators/front-door/page.ts';
import type { Reply, Request } from '../../../src/platform/http/message.ts';
import { aUser } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { atLogin, bob, signedIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { Visitor } from '../../build/visitor.ts';

describe('the front door', () => {
  const server = suiteServer({ users: [aUser(), bob()] });
  const owner = suitePart(() => anOperatorClient(server));

  const open = (visitor = new Visitor(server.base), headers = {}) => visitor.go(`${server.base}/`, { headers });

  it('says on a deployment without an owner how to make one, until there is one', async () => {
    const seen = await open();
    assert.equal(seen.status, 200);
    assert.match(seen.text, /This deployment has no owner yet/);
    assert.match(seen.text, />gatehouse operators add USERNAME --role owner</);
    await owner.ask('POST', '/operators', { username: 'bob', role: 'auditor' });
    assert.match((await open()).text, /no owner yet/);
    await owner.ask('POST', '/operators', { username: 'alice', role: 'owner' });
    assert.doesNotMatch((await open()).text, /no owner yet/);
  });

  it('leads a visitor to the account and to the console, each behind a sign-in', async () => {
    const visitor = new Visitor(server.base);
    const { text } = await open(visitor);
    for (const path of ['/account', '/console']) {
      assert(text.includes(`href="${path}"`), path);
      assert(atLogin(await visitor.follow(server.base + path)), path);
    }
    assert(!text.includes('href="/logout"'));
  });

  it('shows a user the account, and an operator the console too', async () => {
    await server.provision({
      users: [aUser({ username: 'carol', email: 'c@example.com', phone_number: '+8613800000009' })],
    });
    const user = (await open(await signedIn(server, 'carol'))).text;
    assert.match(user, /You are signed in as carol/);
    assert(!user.includes('href="/console"'));
    const operator = (await open(await signedIn(server, 'bob'))).text;
    assert(operator.includes('href="/console"') && operator.includes('href="/account"'));
  });

  it('is where /login leads without a request that waits for it, also from a bookmark (row 64)', async () => {
    for (const visitor of [new Visitor(server.base), await signedIn(server)]) {
      const seen = await visitor.go(`${server.base}/login`);
      assert.deepEqual([seen.status, seen.location], [302, `${server.base}/`]);
    }
    for (const query of ['pending=expired', 'pending=a&pending=b', 'pending=%zz', 'x=1&pending=a%00']) {
      assert.equal((await new Visitor(server.base).go(`${server.base}/login?${query}`)).status, 400, query);
    }
    assert.equal((await new Visitor(server.base).go(`${server.base}/login`, { method: 'POST' })).status, 400);
  });

  it('speaks Chinese', async () => {
    assert.match((await open(undefined, { 'accept-language': 'zh-CN' })).text, /<html lang="zh-Hans"/);
  });

  it('shows with the demo what to click next, and the click leads to its sign-in; without the demo nothing of it', async () => {
    assert.doesNotMatch((await open()).text, /demo/i);
    await seedDemo(server.services);
    await server.services.registry.refresh();
    const visitor = new Visitor(server.base);
    const { text } = await open(visitor);
    assert.match(text, /Next: try the demo/);
    const link = /class="button" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert(atLogin(await visitor.follow(link)), link);
  });

  it('shows nothing of the demo beyond the own machine: everybody knows its password', async () => {
    const at = { ...server.services, config: { ...server.services.config, baseUrl: 'https://id.example' } };
    const request = { headers: {}, params: {}, queryParams: new Map() } as unknown as Request;
    const reply = (await frontDoor(at, request)) as Reply;
    assert.match(String(reply.body), /Gatehouse/);
    assert.doesNotMatch(String(reply.body), /demo/i);
  });

  it('answers where browsers and robots look', async () => {
    const robots = await new Visitor(server.base).go(`${server.base}/robots.txt`);
    assert.equal(robots.status, 200);
    assert.equal(robots.text, 'User-agent: *\nDisallow: /\n');
    const icon = await fetch(`${server.base}/favicon.ico`);
    assert.equal(icon.status, 200);
    assert.equal(icon.headers.get('content-type'), 'image/x-icon');
    assert.match(icon.headers.get('cache-control') ?? '', /^public, max-age=\d+/);
    const bytes = Buffer.from(await icon.arrayBuffer());
    assert.deepEqual([...bytes.subarray(0, 4)], [0, 0, 1, 0]);
    const change = await new Visitor(server.base).go(`${server.base}/.well-known/change-password`);
    assert.equal(change.status, 302);
    assert.equal(change.location, `${server.base}/account/security/password`);
  });
});
