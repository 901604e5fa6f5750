import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Store } from '../../../src/store.ts';
import { fc } from '../../build/random.ts';
import { account, application, client, DAY, hex, NOW, type OpenStore } from './given.ts';
import { session } from './given-sessions.ts';
import { openForSuite } from './open-store.ts';
import { type Call, perform } from './policy/calls.ts';
import { apply, liveAccessToken, liveRefreshToken, liveTokenUser, type Model } from './policy/model.ts';
import { CLIENTS, history, type Step } from './policy/plans.ts';
import { resolve, timeOf } from './policy/resolve.ts';

/**
 * A store repeats in SQL what oauth/authorization-code/rules.ts and oauth/refresh/rules.ts decide, for speed, and writes the access token
 * that oauth/token/access-target.rules.ts selects. Here random histories run through both: after every step the answers of the store, and what
 * it finds alive, are those of the model, which asks protocol/. Several histories run at once, so that they share statements and
 * commits.
 */
const RUNS = 40;
const AT_ONCE = { minLength: 1, maxLength: 5, size: 'max' } as const;

export function historiesContract(open: OpenStore, runs = RUNS): void {
  describe('random histories, judged by the store and by the protocol', () => {
    let stores: readonly Store[];
    const { store, another } = openForSuite(open);
    before(async () => {
      stores = [store, await another()];
    });

    it('of codes and refresh tokens get the same verdicts and access tokens (rows 34, 37, 38 and 41; RFC 8707)', () =>
      fc.assert(
        fc.asyncProperty(fc.array(history, AT_ONCE), async histories => {
          await Promise.all(histories.map(steps => follow(stores, steps)));
        }),
        { numRuns: runs, endOnFailure: false },
      ));
  });
}

/** Every token that a call brought along, issued or not. */
interface Planned {
  readonly app: string;
  readonly kind: 'access' | 'refresh';
  readonly hash: Uint8Array;
}

/**
 * Calls at the same time may take effect in any order. Each order that agrees with the answers is one possible state of the
 * store; what is found alive afterwards rules out the others.
 */
async function follow(stores: readonly Store[], steps: readonly Step[]): Promise<void> {
  const [store = assert.fail()] = stores;
  const { model, apps } = await begin(store);
  let possible: Model[] = [model];
  const planned: Planned[] = [];
  let now = NOW;
  for (const step of steps) {
    const known = possible[0] ?? assert.fail();
    now = timeOf(step, known, now);
    const calls = step.plans.flatMap(plan => resolve(plan, known, apps, now) ?? []);
    planned.push(...calls.flatMap(tokensOf));
    const answers = await Promise.all(calls.map((call, at) => perform(stores[at % stores.length] ?? store, call)));
    possible = afterCalls(possible, calls, answers);
    // SQLite: what another store object wrote is seen one turn later at the latest (platform/store/sqlite/read-group.ts).
    await nextTurn();
    possible = await confirmed(store, possible, planned, now, calls);
  }
}

async function begin(store: Store): Promise<{ model: Model; apps: string[] }> {
  const users = [account(), account()];
  const applications = [application(), application()];
  const clients = applications.flatMap(({ code: app }) => CLIENTS.map(client_id => ({ app, client_id })));
  await store.provision([
    ...applications.map(one => ({ kind: 'application', application: one }) as const),
    ...clients.map(({ app, client_id }) => ({ kind: 'client', app, client: client({ client_id }) }) as const),
    ...users.map(user => ({ kind: 'newUser', account: user }) as const),
  ]);
  const sessions = [0, 0, 1].map(user => session(users[user]?.sub ?? '', { expiresAt: NOW + 1000 * DAY }));
  for (const one of sessions) await store.openSession(one, NOW);
  const model = {
    ...{ codes: [], families: [], endedSids: [], reusedInStep: [], users },
    clients: clients.map(({ app, client_id }) => `${app}/${client_id}`),
    sessions: sessions.map(({ sid, sub }) => ({ sid, sub })),
  };
  return { model, apps: applications.map(({ code: app }) => app) };
}

function tokensOf(call: Call): Planned[] {
  const { app } = call;
  const planned = (kind: Planned['kind'], { hash }: { readonly hash: Uint8Array }) => ({ app, kind, hash });
  switch (call.kind) {
    case 'addTokenFamily':
      return [planned('access', call.tokens.access), planned('refresh', call.tokens.refresh)];
    case 'redeem': {
      const { access, refresh } = call.tokens;
      return [planned('access', access), planned('access', call.forApi.planned), planned('refresh', refresh)];
    }
    case 'refresh': {
      const { access, successors } = call.rotation;
      const refresh = successors.map(hash => planned('refresh', { hash }));
      return [planned('access', access), planned('access', call.forApi.planned), ...refresh];
    }
    default:
      return [];
  }
}

/** The states in which the calls, in some order, give these answers. */
function afterCalls(possible: readonly Model[], calls: readonly Call[], answers: readonly unknown[]): Model[] {
  const reached = new Map<string, Model>();
  const expected: unknown[] = [];
  for (const before of possible) {
    for (const order of ordersOf(calls.map((_, at) => at))) {
      const model: Model = { ...structuredClone(before), reusedInStep: [] };
      const permitted = order.map(at => ({ at, answers: apply(model, calls[at] ?? assert.fail()) }));
      const agrees = permitted.every(({ at, answers: some }) => some.some(one => isDeepStrictEqual(one, answers[at])));
      if (agrees) reached.set(JSON.stringify(model), model);
      expected.push(permitted.toSorted((a, b) => a.at - b.at).map(each => each.answers[0]));
    }
  }
  if (reached.size > 0) return [...reached.values()];
  if (expected.length === 1) assert.deepEqual(answers, expected[0], describeCalls(calls));
  return assert.fail(
    `${describeCalls(calls)} answered ${show(answers)}; some order gives ${expected.map(show).join(' or ')}`,
  );
}

/** The states in which exactly those tokens are alive that the store finds. */
async function confirmed(
  store: Store,
  possible: readonly Model[],
  planned: readonly Planned[],
  now: number,
  calls: readonly Call[],
): Promise<Model[]> {
  const found = await Promise.all(
    planned.map(async ({ app, kind, hash }) =>
      kind === 'refresh'
        ? [await store.findRefreshToken(app, hash, now)]
        : Promise.all([store.findAccessToken(app, hash, now), store.findTokenUser(app, hash, now)]),
    ),
  );
  const alive = (model: Model) =>
    planned.map(({ app, kind, hash }) =>
      kind === 'refresh'
        ? [liveRefreshToken(model, app, hex(hash), now)]
        : [liveAccessToken(model, app, hex(hash), now), liveTokenUser(model, app, hex(hash), now)],
    );
  const right = possible.filter(model => isDeepStrictEqual(alive(model), found));
  if (right.length === 0) assert.deepEqual(found, alive(possible[0] ?? assert.fail()), `after ${describeCalls(calls)}`);
  return right;
}

function ordersOf(list: readonly number[]): number[][] {
  if (list.length < 2) return [[...list]];
  return list.flatMap(first => ordersOf(list.filter(one => one !== first)).map(rest => [first, ...rest]));
}

const show = (value: unknown) => JSON.stringify(value);
const describeCalls = (calls: readonly Call[]) =>
  calls.map(({ kind, now }) => `${kind} at ${now - NOW} s`).join(' with ');
