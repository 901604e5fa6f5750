import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Store } from '../../../src/store.ts';
import { assertRefused, userinfo } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aTv, aWaitingDevice, decide, pollFor, theQuestion, typeCode } from '../../build/device.ts';
import { aUser } from '../../build/fixture.ts';
import { bob } from '../../build/people.ts';
import { suiteNodes } from '../../build/suite-nodes.ts';
import type { TestServer } from '../../build/test-server.ts';
import { type Form, formWith, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

/** Two servers on one PostgreSQL: a device code counts once, and guesses are counted together (modern contract). */
const clock = fixedClock();
let lookups = 0;
/** What happens between the two operations of a poll that finds an approval. */
let beforeRedeem = async () => {};
const counted = (store: Store): Store =>
  new Proxy(store, {
    get(target, name) {
      if (name === 'findDevice') lookups++;
      if (name === 'redeemDevice') return redeemAfter(target, () => beforeRedeem());
      return Reflect.get(target, name);
    },
  });
const nodes = suiteNodes({
  clock,
  env: { TRUSTED_PROXIES: '127.0.0.1' },
  wrapStore: counted,
  clients: [aTv()],
  users: [aUser(), bob()],
});
beforeEach(() => {
  clock.advance(100_000);
  lookups = 0;
  beforeRedeem = async () => {};
});

function redeemAfter(store: Store, first: () => Promise<void>): Store['redeemDevice'] {
  return async (...redemption) => {
    await first();
    return store.redeemDevice(...redemption);
  };
}

const node = (at: number) => nodes[at % 2] as TestServer;
const count = (statuses: readonly number[], status: number) => statuses.filter(each => each === status).length;

/** Sends a form to either node, as behind a load balancer. */
async function sendTo(at: TestServer, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(`${at.base}/device`, {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: at.base, accept: 'text/html', ...headers },
    redirect: 'manual',
  });
  return { status: response.status, text: await response.text() };
}

const guess = (at: number, address: string) =>
  sendTo(node(at), { user_code: 'BCDF-GHJK' }, { 'x-forwarded-for': address });

describe('attack: user codes guessed over two nodes (RFC 8628 section 5.1)', () => {
  it('1,000 parallel guesses from one address: exactly 20 are looked up', async () => {
    const answers = await Promise.all(Array.from({ length: 1000 }, (_, at) => guess(at, '198.51.100.7')));
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual([count(statuses, 400), count(statuses, 429)], [20, 980]);
    assert.equal(lookups, 20);
  });

  it('1,200 parallel visitors, each from its own address: exactly 1,000 guesses are looked up', async () => {
    const answers = await Promise.all(
      Array.from({ length: 1200 }, (_, at) => guess(at, `203.0.${at >> 8}.${at & 255}`)),
    );
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual([count(statuses, 400), count(statuses, 429)], [1000, 200]);
    assert.equal(lookups, 1000);
  });
});

describe('attack: a user code that was used comes again, over two nodes (RFC 8628 section 5.1)', () => {
  const NO_DEVICE = 'No device is waiting with this code';

  /** For a stranger and for the person who has decided. */
  async function assertUsedUp(userCode: string, { cookies }: Visitor): Promise<void> {
    for (const at of [1, 0]) {
      for (const kept of [new Map<string, string>(), cookies]) {
        const visitor = new Visitor(node(at).base);
        for (const [name, value] of kept) visitor.cookies.set(name, value);
        const page = await typeCode(node(at), userCode, visitor);
        assert.equal(page.status, 400, `${page.url} at node ${at}`);
        assert(page.text.includes(NO_DEVICE), page.text);
      }
    }
  }

  for (const action of ['allow', 'deny'] as const) {
    it(`the person has pressed ${action} at one node: neither node knows the code, before and after the poll`, async () => {
      const device = await aWaitingDevice(node(0));
      assert.match((await typeCode(node(1), device.user_code)).url, /\/login\?/, 'the other node knows it until then');
      const visitor = new Visitor(node(0).base);
      await decide(node(0), device.user_code, action, visitor);
      await assertUsedUp(device.user_code, visitor);
      const { json } = await pollFor(node(1), device);
      assert.equal(json.error, action === 'allow' ? undefined : 'access_denied');
      await assertUsedUp(device.user_code, visitor);
    });
  }

  it('a page of the other node that asked for it before decides nothing more, and tells another person nothing', async () => {
    const device = await aWaitingDevice(node(0));
    const late = new Visitor(node(1).base);
    const question = await theQuestion(node(1), device.user_code, late, 'bob');
    await decide(node(0), device.user_code, 'allow');
    for (const action of ['allow', 'deny']) {
      const page = await withStatus(400, late.send(formWith(question, 'action" value="allow'), { action }));
      assert.doesNotMatch(page.text, /connected/);
    }
    const { json } = await withStatus(200, pollFor(node(1), device));
    const of = await userinfo(node(1), json.access_token);
    assert.equal(of.json.sub, (await node(0).services.store.findAccount('alice'))?.sub);
  });
});

describe('attack: races over two nodes (RFC 8628 section 3.5)', () => {
  it('20 parallel polls: one gets tokens, and they work', async () => {
    const device = await aWaitingDevice(node(0));
    await decide(node(0), device.user_code, 'allow');
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => pollFor(node(at), device)));
    const got = answers.filter(({ status }) => status === 200);
    assert.equal(got.length, 1);
    for (const other of answers) if (other !== got[0]) assertRefused(other, 400, 'invalid_grant');
    assert.equal((await userinfo(node(1), got[0]?.json.access_token)).status, 200);
    assertRefused(await pollFor(node(1), device), 400, 'invalid_grant');
  });

  it('polls at both nodes share the interval, and slow_down raises it for both', async () => {
    const device = await aWaitingDevice(node(0));
    const errors: string[] = [];
    for (const [at, seconds] of [
      [0, 0],
      [1, 1],
      [0, 5],
      [1, 15],
    ] as const) {
      clock.advance(seconds);
      errors.push((await pollFor(node(at), device)).json.error);
    }
    assert.deepEqual(errors, ['authorization_pending', 'slow_down', 'slow_down', 'authorization_pending']);
  });

  it('20 parallel approvals and denials: one decides, and all agree on it', async () => {
    for (let round = 0; round < 5; round++) {
      const device = await aWaitingDevice(node(0));
      const { form, cookie } = await questionOf(device.user_code);
      const pressed = await Promise.all(
        Array.from({ length: 20 }, (_, at) => press(node(at), form, at % 4 < 2 ? 'allow' : 'deny', cookie)),
      );
      // A form that comes when the decision is written already is told so.
      const connected = pressed.filter(({ text }) => /is (?:already )?connected/.test(text));
      const denied = pressed.filter(({ text }) => text.includes('was not connected'));
      assert.equal(connected.length + denied.length, 20, pressed.map(({ status }) => status).join());
      assert(connected.length === 0 || denied.length === 0);
      const { status, json } = await pollFor(node(1), device);
      assert.deepEqual([status, json.error], connected.length > 0 ? [200, undefined] : [400, 'access_denied']);
    }
    const decided = await node(0).services.store.listEvents(
      { types: ['device.approved', 'device.denied'], from: clock.now() },
      { after: undefined, limit: 100 },
    );
    assert.equal(decided.length, 5, 'one event for each device');
  });

  it('the access of the user ends while the device polls: no token survives', async () => {
    const sub = (await node(0).services.store.findAccount('alice'))?.sub ?? '';
    for (let round = 0; round < 10; round++) {
      const device = await aWaitingDevice(node(0));
      await decide(node(0), device.user_code, 'allow');
      const [polled] = await Promise.all([
        pollFor(node(1), device),
        node(0).services.store.endUserAccess(sub, clock.now()),
      ]);
      if (polled.status === 200) assert.equal((await userinfo(node(0), polled.json.access_token)).status, 401);
      else assertRefused(polled, 400, 'access_denied');
    }
  });

  it('the access of the user ends after a poll has found the approval: it is told of no earlier tokens', async () => {
    const sub = (await node(0).services.store.findAccount('alice'))?.sub ?? '';
    const device = await aWaitingDevice(node(0));
    await decide(node(0), device.user_code, 'allow');
    beforeRedeem = () => node(0).services.store.endUserAccess(sub, clock.now());
    assertRefused(await pollFor(node(1), device), 400, 'access_denied');
  });
});

async function questionOf(userCode: string): Promise<{ form: Form; cookie: string }> {
  const visitor = new Visitor(node(0).base);
  const question = await theQuestion(node(0), userCode, visitor);
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return { form: formWith(question, 'action" value="allow'), cookie };
}

function press(at: TestServer, { fields }: Form, action: string, cookie: string) {
  return sendTo(at, { ...Object.fromEntries(fields), action }, { cookie });
}
