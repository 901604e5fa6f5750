import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { NO_CLAIMS } from '../../../src/oauth/authorize/claims-request.rules.ts';
import { UNBOUND } from '../../../src/oauth/proof-of-possession/binding.ts';
import { newGrantId, planAccessToken, planRefreshToken } from '../../../src/oauth/token/issue.ts';
import { scopes } from '../../../src/oauth/token/scope.rules.ts';
import { keyOf } from '../../../src/platform/crypto/credential.ts';
import { type Answered, assertRefused, basic, get, refresh, revoke, token } from '../../build/client.ts';
import { type FixedClock, fixedClock } from '../../build/clock.ts';
import { aClient } from '../../build/fixture.ts';
import { CHOICES, fc } from '../../build/random.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';

/**
 * Row 41 as a model: any sequence of logins, refreshes, lost answers, retries, races, thefts, revocations, restarts and
 * jumps of the clock, on two nodes, against the real store.
 */
const LIFETIME = 30 * 86_400;
const FAMILY_LIFETIME = 75 * 86_400;
/** On PostgreSQL a restart and a purge take about half a second each. */
const RUNS = (process.env.TEST_STORE === 'postgres' ? 20 : 40) * CHOICES;
const GRACE: Readonly<Record<string, number>> = { web: 30, quick: 5 };

interface Token {
  readonly value: string;
  readonly expiresAt: number;
  rotatedAt?: number;
  purged?: boolean;
}

/** The tokens that came from one login, in the order of their rotation: there is only ever one chain. */
interface Family {
  readonly clientId: string;
  readonly end: number;
  readonly chain: Token[];
  /** What the honest client holds: the newest it received. */
  held: number;
  dead: boolean;
}

interface Model {
  readonly families: Family[];
}

interface World {
  readonly nodes: [TestServer, TestServer];
  readonly clock: FixedClock;
}

const lives = ({ dead }: Family, { expiresAt, purged }: Token, now: number) => !dead && !purged && now < expiresAt;
const successorOf = ({ chain }: Family, token: Token): Token | undefined => chain[chain.indexOf(token) + 1];
/** The successor has not been used: the answer that carried it may have been lost. */
const canRepeat = (family: Family, token: Token, now: number) =>
  token.rotatedAt !== undefined &&
  now - token.rotatedAt < (GRACE[family.clientId] ?? 0) &&
  successorOf(family, token)?.rotatedAt === undefined;
const successorEnd = ({ end }: Family, now: number) => Math.min(now + LIFETIME, end);
/** The end that its key was stamped with: the store keeps it until then, although its family may end before. */
const stampedEnd = ({ value }: Token) => keyOf(value).readUInt32BE(0);
const secretOf = (clientId: string) => ({ auth: basic(clientId, 'web-secret-1') });
const newest = ({ chain }: Family): Token => chain.at(-1) ?? assert.fail();
const heldBy = ({ chain, held }: Family): Token => chain[held] ?? assert.fail();

/** What must hold for one use of a token, by its client or by a thief; the model changes as row 41 says. */
function settle(family: Family, used: Token, answered: Answered, now: number): string | undefined {
  if (!lives(family, used, now)) {
    assertRefused(answered, 400, 'invalid_grant');
    return undefined;
  }
  if (used.rotatedAt !== undefined && !canRepeat(family, used, now)) {
    assertRefused(answered, 400, 'invalid_grant');
    family.dead = true;
    return undefined;
  }
  assert.equal(answered.status, 200, answered.text);
  const { refresh_token: successor } = answered.json;
  const expected = successorOf(family, used);
  if (expected) assert.equal(successor, expected.value, 'a retry got another successor');
  else {
    assert(!family.chain.some(({ value }) => value === successor), 'a token came twice');
    used.rotatedAt = now;
    family.chain.push({ value: successor, expiresAt: successorEnd(family, now) });
  }
  return successor;
}

/** No two live branches; what the model calls alive is alive on every node, and nothing else. */
async function assertOneBranch({ families }: Model, { nodes, clock }: World): Promise<void> {
  // SQLite: what the other node wrote is seen one turn later at the latest (platform/store/sqlite/read-group.ts).
  await nextTurn();
  const now = clock.now();
  for (const family of families) {
    const expected = family.chain.filter(one => lives(family, one, now) && one.rotatedAt === undefined);
    assert(expected.length <= 1);
    for (const { services } of nodes) {
      const found = [];
      for (const one of family.chain) {
        if (await services.store.findRefreshToken('shop', keyOf(one.value), now)) found.push(one);
      }
      assert.deepEqual(found, expected, `${found.length} live tokens of one login`);
    }
  }
}

interface Choice {
  readonly family: number;
  readonly node: 0 | 1;
}

/** One step, on a login that `fits` at that moment. */
function step<More>(
  name: string,
  more: fc.Arbitrary<More>,
  fits: (family: Family, now: number) => boolean,
  act: (family: Family, world: World, more: More, node: TestServer) => Promise<void>,
): fc.Arbitrary<fc.AsyncCommand<Model, World>> {
  const choice: fc.Arbitrary<Choice> = fc.record({ family: fc.nat(20), node: fc.constantFrom(0, 1) });
  return fc.tuple(choice, more).map(([{ family, node }, extra]) => ({
    check: ({ families }) => families.length > 0,
    async run(model, world) {
      const fitting = model.families.filter(one => fits(one, world.clock.now()));
      const chosen = fitting[family % fitting.length];
      if (!chosen) return;
      await act(chosen, world, extra, world.nodes[node]);
      await assertOneBranch(model, world);
    },
    toString: () => `${name}(login ${family}, node ${node}, ${JSON.stringify(extra) ?? ''})`,
  }));
}

const anyFamily = () => true;
/** Uses the newest token it received, or repeats its last request within the grace period. */
const isHonest = (family: Family, now: number) =>
  lives(family, heldBy(family), now) && (heldBy(family) === newest(family) || canRepeat(family, heldBy(family), now));
const send = (node: TestServer, family: Family, used: Token) =>
  refresh(node, used.value, {}, secretOf(family.clientId));

const issue: fc.Arbitrary<fc.AsyncCommand<Model, World>> = fc.constantFrom('web', 'quick').map(clientId => ({
  check: () => true,
  async run(model, world) {
    const { services } = world.nodes[0];
    const application = (await services.registry.application('shop')) ?? assert.fail();
    const sub = (await services.store.findAccount('alice'))?.sub ?? '';
    const access = planAccessToken(services, application, UNBOUND, undefined);
    const first = planRefreshToken(services, application, undefined);
    const grant = { clientId, sub, scope: scopes, authTime: 1, amr: ['pwd'], sid: undefined, claims: NO_CLAIMS };
    const tokens = { grantId: newGrantId(services), issuedAt: access.issuedAt, access: access.stored };
    await services.store.addTokenFamily('shop', grant, { ...tokens, refresh: first.stored });
    const chain = [{ value: first.value, expiresAt: world.clock.now() + LIFETIME }];
    model.families.push({ clientId, end: world.clock.now() + FAMILY_LIFETIME, chain, held: 0, dead: false });
    await assertOneBranch(model, world);
  },
  toString: () => `issue(${clientId})`,
}));

const honest = step('refresh', fc.record({ answerLost: fc.boolean() }), isHonest, async (family, world, more, node) => {
  const answered = await send(node, family, heldBy(family));
  assert.equal(answered.status, 200, `an honest client was logged out: ${answered.text}`);
  const successor = settle(family, heldBy(family), answered, world.clock.now());
  if (!more.answerLost) family.held = family.chain.findIndex(({ value }) => value === successor);
});

const race = step('race', fc.integer({ min: 2, max: 4 }), isHonest, async (family, world, times) => {
  const used = heldBy(family);
  const { nodes } = world;
  const sent = Array.from({ length: times }, (_, index) => send(nodes[index % 2 ? 1 : 0], family, used));
  for (const answered of await Promise.all(sent)) {
    assert.equal(answered.status, 200, `an honest client was logged out by a race: ${answered.text}`);
    settle(family, used, answered, world.clock.now());
  }
  family.held = family.chain.indexOf(used) + 1;
});

const reuse = step('reuse', fc.nat(30), anyFamily, async (family, world, back, node) => {
  const used = family.chain[Math.max(0, family.chain.length - 2 - back)] ?? assert.fail();
  settle(family, used, await send(node, family, used), world.clock.now());
});

const revocation = step('revoke', fc.nat(30), anyFamily, async (family, _world, back, node) => {
  const used = family.chain[Math.max(0, family.chain.length - 1 - back)] ?? assert.fail();
  assert.equal((await revoke(node, { token: used.value }, secretOf(family.clientId))).status, 200);
  if (!used.purged) family.dead = true;
});

const revokeDuringRefresh = step('revoke during refresh', fc.boolean(), isHonest, async (family, world, first) => {
  const used = heldBy(family);
  const [one, other] = world.nodes;
  const revoking = () => revoke(other, { token: used.value }, secretOf(family.clientId));
  const started = first ? [revoking(), send(one, family, used)] : [send(one, family, used), revoking()];
  for (const answered of await Promise.all(started)) {
    const { refresh_token } = answered.json ?? {};
    const known = family.chain.some(({ value }) => value === refresh_token);
    if (refresh_token !== undefined && !known) {
      family.chain.push({ value: refresh_token, expiresAt: successorEnd(family, world.clock.now()) });
    }
  }
  family.dead = true;
});

const stranger = step('another client', fc.constant(undefined), anyFamily, async (family, _world, _more, node) => {
  const clientId = family.clientId === 'web' ? 'quick' : 'web';
  for (const { value } of family.chain.slice(-2)) {
    assertRefused(await refresh(node, value, {}, secretOf(clientId)), 400, 'invalid_grant');
    await revoke(node, { token: value }, secretOf(clientId));
  }
});

const widening = step('wider scope', fc.constant(undefined), isHonest, async (family, _world, _more, node) => {
  const body = { grant_type: 'refresh_token', refresh_token: heldBy(family).value, scope: 'openid admin' };
  assertRefused(await token(node, body, secretOf(family.clientId)), 400, 'invalid_scope');
});

/** To just before, at, or just after the end of the grace period of the last rotation. */
const waitOut = step('wait', fc.constantFrom(-1, 0, 1), anyFamily, async (family, { clock }, edge) => {
  const { rotatedAt } = family.chain.at(-2) ?? {};
  if (rotatedAt === undefined) return;
  clock.advance(Math.max(0, rotatedAt + (GRACE[family.clientId] ?? 0) + edge - clock.now()));
});

function happening<More>(
  name: string,
  more: fc.Arbitrary<More>,
  act: (world: World, model: Model, more: More) => unknown,
) {
  return more.map(
    (extra): fc.AsyncCommand<Model, World> => ({
      check: () => true,
      async run(model, world) {
        await act(world, model, extra);
        await assertOneBranch(model, world);
      },
      toString: () => `${name}(${extra ?? ''})`,
    }),
  );
}

const seconds = fc.constantFrom(1, 1, 2, 4, 5, 20, 29, 30, 31, 3600, 20 * 86_400, 31 * 86_400, -1, -7, -40);
const jump = happening('clock', seconds, ({ clock }, _model, by) => clock.advance(by));
const purge = happening('purge', fc.constant(undefined), async ({ nodes, clock }, { families }) => {
  await nodes[0].services.store.purge(clock.now(), 10_000);
  for (const { chain } of families) for (const one of chain) if (stampedEnd(one) < clock.now()) one.purged = true;
});
const restart = happening('restart', fc.constant(undefined), async world => {
  await world.nodes[1].close();
  world.nodes[1] = await secondNode(world.nodes[0], world.clock);
});

function secondNode(first: TestServer, clock: FixedClock): Promise<TestServer> {
  const env = { DATABASE_URL: first.services.config.database.url, BASE_URL: first.base };
  return startTestServer({ clock, env, applications: [], users: [] });
}

describe('refresh rotation, as a model (row 41, RFC 9700 section 4.14.2)', () => {
  const clock = fixedClock();
  let world: World;
  before(async () => {
    const clients = Object.entries(GRACE).map(([client_id, grace]) =>
      aClient({ client_id, refresh_token_grace: grace }),
    );
    const first = await startTestServer({
      clock,
      shop: { clients, refresh_family_ttl: FAMILY_LIFETIME },
    });
    world = { nodes: [first, await secondNode(first, clock)], clock };
    // The clock may go back, but not to before there were keys: test/platform/http/clock-skew.test.ts is about that.
    await get(`${first.at()}/jwks`);
    clock.advance(365 * 86_400);
  });
  after(async () => {
    for (const node of [...world.nodes].reverse()) await node.close();
  });

  it('no sequence leaves two live branches, and none logs out an honest client', async () => {
    const often = [honest, honest, honest, race, jump, waitOut, reuse];
    const steps = [
      issue,
      ...often,
      ...often,
      ...often,
      revocation,
      revokeDuringRefresh,
      stranger,
      widening,
      purge,
      restart,
    ];
    await fc.assert(
      fc.asyncProperty(fc.commands(steps, { maxCommands: 60, size: 'max' }), async commands => {
        await fc.asyncModelRun(() => ({ model: { families: [] }, real: world }), commands);
      }),
      { numRuns: RUNS, endOnFailure: false },
    );
  });
});
