import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createConcurrencyLimit } from '../../../src/platform/http/concurrency-limit.ts';
import { type Answered, type Simulation, simulate } from './simulated-server.ts';

const SECOND = 1000;
/** Requests a second at the default costs of the simulation. */
const CAPACITY = 10_000;

function run(simulation: Partial<Simulation> & Pick<Simulation, 'callers'>, fromMs = 0) {
  const forMs = simulation.forMs ?? 3 * SECOND;
  const all = simulate({ ...simulation, forMs }).filter(({ at }) => at >= fromMs);
  const served = all.filter(({ isRejected }) => !isRejected);
  const rejected = all.filter(({ isRejected }) => isRejected);
  return { served, rejected, servedPerSecond: (served.length / (forMs - fromMs)) * SECOND };
}

function p99(answers: readonly Answered[]): number {
  const sorted = answers.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
}

describe('no overload, so no request is rejected', () => {
  const cases: Readonly<Record<string, Partial<Simulation> & Pick<Simulation, 'callers'>>> = {
    'a pool of 200 connections, all in use': { callers: [{ count: 200 }] },
    'the same on a processor that takes 5 ms for each': { callers: [{ count: 200 }], serveMs: 5, forMs: 10 * SECOND },
    'a pool of 256 for short requests': { callers: [{ count: 256 }], readMs: 0.01, serveMs: 0.03 },
    'a pool of 256 while the database takes 50 ms': { callers: [{ count: 256 }], databaseMs: 50 },
    'a pool of 256 while the database takes 2 s': { callers: [{ count: 256 }], databaseMs: 2 * SECOND },
    '2000 callers that send a request every half second': {
      callers: Array.from({ length: 20 }, (_, group) => ({ count: 100, pauseMs: 500, fromMs: 25 * group })),
    },
    'a burst of 1000 at once': { callers: [{ count: 1000, untilMs: 1 }] },
    'a burst of 400 every 150 ms': { callers: [{ count: 400, pauseMs: 150 }] },
    'a process whose event loop is blocked for 300 ms': { callers: [{ count: 200 }], stall: { atMs: 500, forMs: 300 } },
  };
  for (const [name, simulation] of Object.entries(cases)) {
    it(name, () => {
      const { served, rejected } = run(simulation);
      assert.equal(rejected.length, 0);
      assert(served.length >= 256);
    });
  }
});

describe('callers that never pause', () => {
  for (const count of [256, 512, 1024, 2048, 5000]) {
    it(`${count} of them are an overload: most of the capacity is served, in less than 10 ms, and the rest is rejected (503)`, () => {
      const { served, rejected, servedPerSecond } = run({ callers: [{ count }] }, SECOND);
      assert(servedPerSecond > 0.7 * CAPACITY, `${servedPerSecond}/s`);
      assert(p99(served) < 10, `${p99(served)} ms`);
      assert(rejected.length > 0);
      const waited = rejected.map(({ tookMs }) => tookMs);
      assert(Math.min(...waited) >= 100, 'before that a request may still be served');
      assert(Math.max(...waited) < 150 + count / 4, `${Math.max(...waited)} ms`);
      assert(rejected.length <= served.length, 'rejecting takes the time of serving');
    });
  }

  it('however many they are, none that is served waits for long', () => {
    for (let count = 64; count <= 1024; count += 32) {
      const { served, servedPerSecond } = run({ callers: [{ count }] }, SECOND);
      assert(p99(served) < 30, `${p99(served)} ms with ${count}`);
      assert(servedPerSecond > 0.7 * CAPACITY, `${servedPerSecond}/s with ${count}`);
    }
  });

  it('on a processor that is ten times slower', () => {
    const { served, rejected, servedPerSecond } = run(
      { callers: [{ count: 512 }], readMs: 0.15, serveMs: 0.85, rejectMs: 0.2, forMs: 5 * SECOND },
      SECOND,
    );
    assert(servedPerSecond > 0.06 * CAPACITY, `${servedPerSecond}/s`);
    assert(p99(served) < 100, `${p99(served)} ms`);
    assert(rejected.length > 0);
  });

  it('of requests that wait for a database: 256 at a time are sent to it', () => {
    const { served, rejected, servedPerSecond } = run({ callers: [{ count: 1024 }], databaseMs: 50 }, SECOND);
    assert(servedPerSecond > 0.9 * (256 / 0.05), `${servedPerSecond}/s`);
    assert(p99(served) < 75, `${p99(served)} ms`);
    assert(rejected.length > 0);
  });

  it('is forgotten half a second after it ended', () => {
    const overload = { count: 2000, untilMs: SECOND };
    const after = run({ callers: [{ count: 100 }, overload] }, 1.5 * SECOND);
    assert.equal(after.rejected.length, 0);
    assert(after.servedPerSecond > 0.95 * CAPACITY, `${after.servedPerSecond}/s`);
    assert(p99(after.served) < 15, `${p99(after.served)} ms`);
  });
});

describe('callers that have to connect first, as a proxy does when all its connections are in use', () => {
  const newcomers = { count: 500, fromMs: SECOND, mustConnect: true };
  for (const [name, busy] of [
    ['a pool of 100 that are all in use', { count: 100 }],
    ['an overload', { count: 1024 }],
  ] as const) {
    it(`are accepted within a second beside ${name}`, () => {
      const { served, rejected } = run({ callers: [busy, newcomers], forMs: 4 * SECOND }, SECOND);
      const slowest = Math.max(...[...served, ...rejected].map(({ tookMs }) => tookMs));
      assert(slowest < SECOND, `${slowest} ms`);
    });
  }

  it('wait for a few turns at the most', () => {
    const { served, rejected } = run({ callers: [{ count: 100, mustConnect: true, untilMs: 1 }] });
    assert.equal(rejected.length, 0);
    assert(p99(served) < 20, `${p99(served)} ms`);
  });
});

describe('while a database does not answer at all', () => {
  it('256 requests wait for it, and the others are rejected, a thousand a second', () => {
    const { served, rejected } = run({
      callers: [{ count: 756, untilMs: 1 }],
      databaseMs: 60 * SECOND,
      forMs: 2 * SECOND,
    });
    assert.equal(served.length, 0);
    assert.equal(rejected.length, 500);
    const waited = rejected.map(({ tookMs }) => tookMs);
    assert(Math.min(...waited) > 100 && Math.max(...waited) < 700, `${Math.max(...waited)} ms`);
  });
});

describe('a request that has waited for 39 ms in an overload', () => {
  it('is not started where there is a place: a newer one is, and is answered in time', () => {
    let now = 0;
    let ends: (() => void)[] = [];
    const limit = createConcurrencyLimit({ now: () => now, atEndOfTurn: end => ends.push(end), after: () => {} });
    const endTurnAt = (at: number) => {
      now = at;
      const due = ends;
      ends = [];
      for (const end of due) end();
    };
    const outcomes: string[] = [];
    const enqueue = (name: string) =>
      limit.enqueue({
        start: () => outcomes.push(name) > 0,
        reject: () => true,
      });
    while (limit.tryAcquire());
    endTurnAt(0);
    while (limit.tryAcquire());
    for (let count = 0; count < 300; count++) enqueue('old');
    for (const at of [11, 50, 80]) {
      endTurnAt(at);
      enqueue('late');
    }
    for (const at of [112, 113, 114, 115]) {
      endTurnAt(at);
      limit.noteConnection();
    }
    for (let count = 0; count < 8; count++) limit.release();
    now = 118;
    enqueue('new');
    for (const at of [119, 120]) endTurnAt(at);
    assert.deepEqual(outcomes, ['new']);
  });
});

describe('a request whose caller has gone', () => {
  it('takes no place and is not rejected', () => {
    let ends: (() => void)[] = [];
    const limit = createConcurrencyLimit({ now: () => 0, atEndOfTurn: end => ends.push(end), after: () => {} });
    const endTurn = () => {
      const due = ends;
      ends = [];
      for (const end of due) end();
    };
    while (limit.tryAcquire());
    const { running } = limit.load();
    const gone = { start: () => false, reject: () => false };
    let isStarted = false;
    const present = {
      start() {
        isStarted = true;
        return true;
      },
      reject: () => false,
    };
    for (let count = 0; count < 500; count++) limit.enqueue(gone);
    limit.enqueue(present);
    assert.deepEqual(limit.load(), { running, waiting: 501 });
    endTurn();
    assert(isStarted);
    assert.deepEqual(limit.load(), { running: running + 1, waiting: 0 });
  });
});
