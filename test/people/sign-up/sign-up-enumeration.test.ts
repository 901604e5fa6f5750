import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { anApplication } from '../../build/fixture.ts';
import { authorizationUrl, formWith, Visitor } from '../../build/visitor.ts';
import { CHOSEN, NEW, openTown, server, signUp, signUpPage, town, typeCode } from './sign-up-fixture.ts';

describe('user enumeration at sign-up', () => {
  beforeEach(() => openTown({ isPasswordCostReal: true }));
  afterEach(() => town.close());

  const ADDRESSES = [NEW, 'alice@example.com', 'ALICE@example.com', 'dora@example.com'];

  it('by status, headers and text: known, unknown and disabled addresses have the same answer', async () => {
    const shown = async (email: string, username: string) => {
      const by = new Visitor(server.base);
      const form = formWith(await signUpPage(by), 'email');
      const body = new URLSearchParams(form.fields);
      for (const [name, value] of Object.entries({ email, username, password: CHOSEN })) body.set(name, value);
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: server.base };
      const posted = await by.go(form.action, { method: 'POST', body: body.toString(), headers });
      const page = await by.go(posted.location ?? '');
      const wrong = await typeCode(page, 'WRONG000', by);
      const own = ['date', 'x-request-id', 'server-timing', 'content-length'];
      const steady = (text: string) =>
        text.replaceAll(/pending(=|" value=")[\w-]+/g, '…').replaceAll(email, 'the address');
      return [posted, page, wrong].map(seen => ({
        status: seen.status,
        text: steady(seen.text),
        headers: [...seen.headers].filter(([name]) => !own.includes(name)).map(each => each.map(steady)),
      }));
    };
    const first = await shown(NEW, 'erin');
    const statuses = first.map(({ status }) => status);
    assert.deepEqual(statuses, [302, 200, 400]);
    for (const address of ADDRESSES) {
      for (const name of ['erin', 'alice', 'dora']) assert.deepEqual(await shown(address, name), first, address);
    }
  });

  it('by time: the request does the same for all addresses, and nobody is looked up in it', async () => {
    const calls: string[] = [];
    const watched = await town.start({
      applications: [anApplication({ sign_up: true })],
      wrapStore: store =>
        new Proxy(store, {
          get(target, name) {
            const value = Reflect.get(target, name);
            if (typeof value !== 'function') return value;
            return (...args: unknown[]) => {
              // No request waits for the recorders, which write when they like.
              if (!['recordEvents', 'addRefusals', 'trimRefusals'].includes(String(name))) calls.push(String(name));
              return Reflect.apply(value, target, args);
            };
          },
        }),
    });
    for (const email of [NEW, 'alice@example.com', 'nobody@example.com']) {
      const by = new Visitor(watched.base);
      const login = await by.follow(authorizationUrl(watched));
      const link = /<a href="(\/signup\?[^"]+)">/.exec(login.text)?.[1] ?? '';
      const form = formWith(await by.go(watched.base + link), 'email');
      calls.length = 0;
      const page = await by.send(form, { email, password: CHOSEN });
      assert.deepEqual(calls, ['addMail'], email);
      await town.sendMails(watched);
      calls.length = 0;
      await typeCode(page, 'WRONG000', by);
      assert.deepEqual(calls, ['attemptEmailCode'], email);
    }
  });

  it('by mail: only the owner of a known address learns that it has an account, and no code works', async () => {
    const page = await signUp({ email: 'alice@example.com', username: 'somebody-else' });
    const mail = await town.newestMail();
    assert.equal(mail.headers.get('to'), 'alice@example.com');
    assert.match(mail.subject, /You have an account/);
    assert.deepEqual(mail.links, [`${server.base}/forgot-password`]);
    assert.doesNotMatch(mail.text, /^[0-9A-Z]{8}$/m);
    assert.equal((await typeCode(page, '00000000')).status, 400);
  });
});
