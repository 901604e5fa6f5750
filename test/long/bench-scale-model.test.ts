import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { behaviour, machines, meanRates, operations, type Rates } from '../../bench/scale/assumptions.ts';
import { clusterLimits, type PlanOptions, tryDatabases } from '../../bench/scale/attempt.ts';
import { type Cell, type Outcome, simulate } from '../../bench/scale/cell.ts';
import { citusCostsOf, costsOf, referenceWriteCosts, spreadOf } from '../../bench/scale/derive.ts';
import { missesFor, pageImagesFor, type Size } from '../../bench/scale/pages.ts';
import { isPlanned, largest, type Plan, planCitus, planFor } from '../../bench/scale/plan.ts';
import { type Comparison, compareAll, compareCitus } from '../../bench/scale/predict.ts';
import { SeededRandom } from '../../bench/scale/random.ts';
import { mergeCitus, readRecorded } from '../../bench/scale/recorded.ts';
import { type BytesPerRow, HEAP, PAGE_BYTES, type RowCounts, rowsFor, tables } from '../../bench/scale/rows.ts';
import { CommitLog, Processor } from '../../bench/scale/stations.ts';
import { Timeline } from '../../bench/scale/timeline.ts';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../../bench/scale.ts', import.meta.url));
/** So few that the largest deployments are found in seconds, and only roughly. */
const FAST = ['--requests', '500'];
const recorded = readRecorded();
const cell: Cell = {
  costs: costsOf(recorded),
  nodes: 2,
  nodeCores: 2,
  databaseCores: 2,
  networkUs: 100,
  readUs: 100,
  flushUs: [100, 200, 300],
  flushUsPerMb: 2000,
  spread: spreadOf(recorded),
};
const only = (name: keyof Rates, rate: number): Rates =>
  Object.fromEntries(operations.map(one => [one, one === name ? rate : 0])) as unknown as Rates;

describe('the queues of the simulation', () => {
  for (const [servers, utilisation] of [
    [1, 0.5],
    [1, 0.8],
    [4, 0.8],
    [16, 0.9],
  ] as const) {
    it(`agrees with Erlang's formula for M/M/${servers} at ${utilisation}`, () => {
      const predicted = meanWait(servers, utilisation);
      const simulated = simulateQueue(servers, utilisation);
      assert(Math.abs(simulated / predicted - 1) < 0.06, `${simulated} against ${predicted} service times`);
    });
  }

  it('lets the commits that arrive during a flush share the next one', () => {
    const timeline = new Timeline();
    const log = new CommitLog(timeline, () => 100);
    const durable: number[] = [];
    for (const at of [0, 10, 20, 99, 150]) {
      timeline.after(at, () => log.commit(1, () => durable.push(timeline.now)));
    }
    timeline.run();
    assert.deepEqual(durable, [100, 200, 200, 200, 300]);
    assert.equal(log.flushes, 3);
  });

  it('takes turns, so that a hash does not hold up short work', () => {
    const timeline = new Timeline();
    const processor = new Processor(timeline, 1, 3000);
    const ended: string[] = [];
    processor.run(45_000, () => ended.push(`hash ${timeline.now}`));
    processor.run(100, () => ended.push(`request ${timeline.now}`));
    timeline.run();
    assert.deepEqual(ended, ['request 3100', 'hash 45100']);
  });

  it('leaves a process its core while it has more to do, until the end of its turn', () => {
    const timeline = new Timeline();
    const processor = new Processor(timeline, 1, 300);
    const [client, server] = [{}, {}];
    const ended: string[] = [];
    const run = (name: string, owner: object) => processor.run(100, () => ended.push(`${name} ${timeline.now}`), owner);
    run('client', client);
    run('server', server);
    for (let count = 0; count < 3; count++) run('client', client);
    timeline.run();
    assert.deepEqual(ended, ['client 100', 'client 200', 'client 300', 'server 400', 'client 500']);
  });
});

describe('the pages of the model', () => {
  /** The heap and the primary key of access tokens have so many pages each; nothing else has any. */
  const sizeWith = (pages: number): Size => {
    const rows = Object.fromEntries(tables.map(table => [table, pages])) as unknown as RowCounts;
    const one = { [HEAP]: PAGE_BYTES, access_tokens_pkey: PAGE_BYTES, refresh_tokens_pkey: PAGE_BYTES };
    return { rows, each: Object.fromEntries(tables.map(table => [table, one])) as unknown as BytesPerRow };
  };

  it('misses nothing where all fits, and half of the pages where half fits', () => {
    const size = sizeWith(10_000);
    assert(missesFor(size, only('introspection', 1000), 30_000).introspection < 0.001);
    const half = missesFor(size, only('introspection', 1000), 10_000).introspection;
    assert(Math.abs(half - 1) < 0.01, `${half} of the two pages of an introspection`);
  });

  it('writes a page whole once after each checkpoint', () => {
    const size = sizeWith(1000);
    const first = pageImagesFor(size, only('refresh', 1), 1).refresh;
    assert(Math.abs(first - 2) < 0.01, `${first} of the first refresh`);
    // 100,000 refreshes change each of the 1,000 pages of the two relations.
    const many = pageImagesFor(size, only('refresh', 100_000), 1).refresh;
    assert(Math.abs(many - 0.02) < 0.0001, `${many} of each of many`);
  });
});

describe('the simulation', () => {
  const rates = meanRates(50_000_000, behaviour);

  it('gives the same figures for the same seed, and others for another one', () => {
    assert.deepEqual(simulate(cell, { rates }, 5000, 7), simulate(cell, { rates }, 5000, 7));
    assert.notDeepEqual(simulate(cell, { rates }, 5000, 7), simulate(cell, { rates }, 5000, 8));
  });

  it('answers as many requests as arrive while it can, and slower the more there are', () => {
    const load = (factor: number) => simulate(cell, { rates: only('introspection', 2000 * factor) }, 20_000);
    const [idle, busy] = [load(0.1), load(4)];
    assert(Math.abs(idle.perSecond / 200 - 1) < 0.05, `${idle.perSecond} of 200 requests/s`);
    assert(busy.latency.introspection.p99 > idle.latency.introspection.p99);
    assert(busy.nodeBusy > 5 * idle.nodeBusy);
  });

  it('predicts what was measured at sizes that it does not know, as well as docs/scale.md says', () => {
    const comparisons = compareAll(recorded, { requests: 4000 }).filter(({ calibrated }) => !calibrated);
    assert.equal(new Set(comparisons.map(({ column }) => column)).size, 3, 'three sizes are compared');
    for (const [suffix, low, high] of BOUNDS) agree(comparisons, suffix, low, high);
  });

  it('predicts what was measured on Citus at numbers of applications and connections that it does not know', () => {
    const comparisons = compareCitus(recorded, { requests: 4000 }).filter(({ calibrated }) => !calibrated);
    for (const suffix of ['processor µs', 'requests/s']) agree(comparisons, suffix, 0.5, 2);
  });

  function agree(comparisons: readonly Comparison[], suffix: string, low: number, high: number): void {
    const compared = comparisons.filter(({ what }) => what.endsWith(suffix));
    assert(compared.length >= 2, suffix);
    for (const { column, what, predicted, measured } of compared) {
      const ratio = predicted / measured;
      assert(ratio > low && ratio < high, `${what}, ${column}: ${predicted} predicted, ${measured} measured`);
    }
  }
});

const BOUNDS = [
  ['disk, MB', 0.9, 1.1],
  ['WAL bytes', 0.5, 2],
  ['processor µs', 0.5, 2],
  ['requests/s', 0.5, 2],
  ['p50 ms', 0.5, 2],
] as const;

describe('the simulation of Citus', () => {
  const citus = (workers: number, applications: number): Cell => ({
    ...cell,
    costs: citusCostsOf(recorded),
    databaseCores: 32,
    citus: { workers, applications },
  });

  it('lets operations of one application share a statement, and of no other', () => {
    const crowd = (applications: number) => {
      const one = { nodes: 1, nodeCores: 1, databaseCores: 1, networkUs: 0, isOneMachine: true };
      const machine = { ...citus(2, applications), ...one };
      return simulate(machine, { connections: 64, operation: 'introspection', clientUs: 10 }, 10_000);
    };
    const [one, many] = [crowd(1), crowd(1000)];
    assert(one.statements < 0.5, `${one.statements} statements for an introspection of one application`);
    assert(many.statements > 0.9, `${many.statements} of a thousand`);
    assert(one.perSecond > 2 * many.perSecond, `${one.perSecond} against ${many.perSecond} requests/s`);
  });

  it('has one coordinator, however many workers there are', () => {
    const rates = only('introspection', 10_000);
    const busy = [2, 8].map(workers => simulate(citus(workers, 1000), { rates }, 5000));
    const [two, eight] = busy as [Outcome, Outcome];
    assert(Math.abs(eight.coordinatorBusy / two.coordinatorBusy - 1) < 0.1);
    assert(Math.abs(eight.databaseBusy / two.databaseBusy - 0.25) < 0.05);
  });
});

describe('the plan', () => {
  const planned = (users: number, options: PlanOptions): Plan => {
    const plan = planFor(users, options);
    return isPlanned(plan) ? plan : assert.fail(`no plan: ${plan.limit}`);
  };

  it('has rows in proportion to the users', () => {
    const [some, many] = [rowsFor(1000, behaviour), rowsFor(1_000_000, behaviour)];
    for (const table of tables) assert(Math.abs(many[table] / some[table] - 1000) < 1, table);
  });

  it('never needs fewer machines for more users', () => {
    const sizes = [1e4, 1e5, 1e6, 3e6, 1e7, 3e7, 1e8, 3e8, 1e9];
    let before = { nodes: 0, databaseMachines: 0 };
    for (const users of sizes) {
      const plan = planned(users, { recorded, behaviour, machines, requests: 2000 });
      assert(plan.nodes >= before.nodes, `${plan.nodes} nodes for ${users} users, ${before.nodes} for fewer`);
      assert(plan.databaseMachines >= before.databaseMachines, `${plan.databaseMachines} databases for ${users} users`);
      before = plan;
    }
  });

  it('says what a cluster lacks first: something of its coordinator, or the changes of reference tables', () => {
    const options = { recorded, behaviour, machines, requests: 2000 };
    const limitWith = (different: Partial<PlanOptions>) =>
      largest(users => planCitus(users, { ...options, ...different }))?.limit;
    assert(clusterLimits.some(limit => limit === limitWith({})));
    const changes = { ...behaviour, logouts: 0, changes: 1 };
    assert.equal(limitWith({ behaviour: changes }), 'changes of reference tables');
    const slow = { ...machines, coreSpeed: 0.25 };
    assert.equal(
      limitWith({ behaviour: { ...behaviour, logouts: 0, changes: 0 }, machines: slow }),
      'processors of the coordinator',
    );
  });

  it('counts every event, not only those of logins', () => {
    const only = (more: Partial<typeof behaviour>) =>
      rowsFor(1e6, { ...behaviour, failures: 0, logouts: 0, changes: 0, ...more }).events;
    const logins = only({});
    for (const more of [{ failures: 0.5 }, { logouts: 0.1 }, { changes: 0.1 }]) {
      assert(only(more) > logins, `${Object.keys(more)} write events`);
    }
  });

  it('lets logouts take turns on Citus', () => {
    const options = { recorded, behaviour: { ...behaviour, logouts: 1 }, machines, requests: 2000 };
    assert.equal(largest(users => planCitus(users, options))?.limit, 'logouts');
  });

  it('needs a worker that carries the largest application', () => {
    const carried = (share: number) => {
      const options = { recorded, behaviour: { ...behaviour, logouts: 0, largest: share }, machines, requests: 2000 };
      return largest(users => planCitus(users, options))?.plan.users ?? assert.fail('none fits');
    };
    assert(carried(0.5) < carried(0));
  });

  it('divides the users among deployments where one machine is too small', () => {
    const options = { recorded, behaviour, machines, requests: 2000 };
    const machine = machines.database.at(-1) ?? assert.fail('no machine');
    const one = largest(users => tryDatabases(users, machine, 1, options))?.plan.users ?? assert.fail('none fits');
    const { deployments, users } = planned(one * 2.5, options);
    assert.equal(deployments, 3);
    assert(Math.abs(users / (one * 2.5) - 1) < 0.001);
  });

  it('has the standbys that are assumed, and commits that wait for one', () => {
    const planWith = (standbys: number) =>
      planned(1e6, { recorded, behaviour, machines: { ...machines, standbys }, requests: 2000 });
    const [none, one] = [planWith(0), planWith(1)];
    assert.deepEqual([none.databaseMachines, one.databaseMachines], [1, 2]);
    const [alone, followed] = [none, one].map(({ outcome }) => outcome.latency.refresh.p50) as [number, number];
    const waitMs = (2 * machines.networkUs + machines.fsyncUs) / 1000;
    assert(Math.abs(followed - alone - waitMs) < 0.1, `${followed} ms with a standby, ${alone} ms without`);
  });

  it('writes reference tables on every worker', () => {
    const [two, eight] = [2, 8].map(workers => referenceWriteCosts(recorded, workers).coordinatorUs) as [
      number,
      number,
    ];
    assert(eight > two, `${eight} µs of the coordinator with eight workers, ${two} with two`);
  });
});

describe('the recorded figures', () => {
  it('keep their day where others are measured again', () => {
    const before = recorded.citus ?? assert.fail('no cluster has been measured');
    const [first, ...others] = before.referenceWrites;
    const again = { ...(first ?? assert.fail('no reference table')), measured: '2100-01-01' };
    const nothing = Object.fromEntries(operations.map(name => [name, []])) as unknown as typeof before.points;
    const merged = mergeCitus(before, { ...before, points: nothing, referenceWrites: [again] });
    assert.deepEqual(merged.referenceWrites, [again, ...others]);
    assert.deepEqual(merged.points, before.points);
    const all = [...recorded.sizes, ...Object.values(before.points).flat(), ...before.referenceWrites];
    for (const { measured } of all) assert.match(measured, /^\d{4}-\d\d-\d\d$/);
  });
});

describe('bench:scale', () => {
  it('prints the plan for the users and assumptions that it is given', async () => {
    const { stdout } = await run(process.execPath, [MAIN, '--plan', '20000', '--set', 'daily=0.5', ...FAST]);
    assert.match(stdout, /^\| users \| 20,000 \|$/m);
    // 20,000 users, half of them on a day, 5 access tokens each with 10 introspections, 3 times the mean.
    assert.match(stdout, /^\| – introspection \| 17\.4 \|$/m);
  });

  it('says in a sentence that there is no plan for regions that are far apart', async () => {
    const apart = ['--plan', '1000000', '--set', 'networkUs=40000', '--set', 'standbyNetworkUs=40000'];
    const error = await run(process.execPath, [MAIN, ...apart, ...FAST]).then(
      () => assert.fail('there was a plan'),
      (error: { code: number; stderr: string; stdout: string }) => error,
    );
    assert.equal(error.code, 1);
    assert.match(error.stderr, /^There is no plan for 1,000,000 users .* latency\. A statement is 80 ms on its way/);
    assert.doesNotMatch(error.stderr, /\n\s+at /);
  });

  for (const wrong of ['--set unheard=1', '--set database=1', '--set daily=many', '--plan 0', '--unknown', '--citus']) {
    it(`refuses ${wrong}`, async () => {
      await assert.rejects(run(process.execPath, [MAIN, ...wrong.split(' ')]), { code: 64 });
    });
  }
});

/** In service times, by Erlang's C formula. */
function meanWait(servers: number, utilisation: number): number {
  const offered = servers * utilisation;
  let blocked = 1;
  for (let count = 1; count <= servers; count++) blocked = (offered * blocked) / (count + offered * blocked);
  const waits = blocked / (1 - utilisation * (1 - blocked));
  return waits / (servers * (1 - utilisation));
}

function simulateQueue(servers: number, utilisation: number): number {
  const timeline = new Timeline();
  const random = new SeededRandom(1);
  const processor = new Processor(timeline, servers);
  const arrivals = 400_000;
  let [arrived, waited] = [0, 0];
  const arrive = () => {
    const [from, service] = [timeline.now, random.exponential(1)];
    processor.run(service, () => {
      waited += timeline.now - from - service;
    });
    if (++arrived < arrivals) timeline.after(random.exponential(1 / (servers * utilisation)), arrive);
  };
  arrive();
  timeline.run();
  return waited / arrivals;
}
