/** Measures what a Citus cluster costs, its coordinator and its workers apart: `npm run bench:scale -- --measure --citus`. */
import { findCitus } from '../../scripts/citus.ts';
import { openStore } from '../../src/assembly/open-store.ts';
import { checkAnswers } from '../check.ts';
import { type Target, users } from '../fixture.ts';
import { type Issued, issue } from '../issued.ts';
import { endLoad } from '../load/load.ts';
import type { RequestForm } from '../load/request.ts';
import { median } from '../measure.ts';
import { databaseTime } from '../processor.ts';
import { addApplications, requestOfEach } from '../servers/applications.ts';
import { writeLines } from '../servers/fill.ts';
import { provisionGatehouse, startGatehouse, usernameFile } from '../servers/gatehouse.ts';
import { GATEHOUSE, openCitusPlace, type Place, storeAddress } from '../servers/place.ts';
import { openRows } from '../servers/rows.ts';
import { type Operation, operations } from './assumptions.ts';
import { Observer } from './counters.ts';
import { clientTime, measureTasks, mediansOf, pinDatabase, SETTINGS, tasksOf, urlOf } from './measure.ts';
import { type Citus, type CitusPoint, type Logout, type ReferenceWrite, today } from './recorded.ts';

export interface CitusPlan {
  readonly applications: readonly number[];
  /** For the rows of reference tables, which are written on all of them. */
  readonly workers: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: readonly number[];
  readonly quick: boolean;
  /** Held while the machine has to be quiet. */
  quietly<T>(work: () => Promise<T>): Promise<T>;
  say(line: string): void;
}

type Points = Record<Operation, CitusPoint[]>;

const WORKERS = 2;
/** As Citus itself has it. */
const SHARDS = 32;
const FAMILIES = 6000;
const CODES = 16_000;
const SESSIONS = 3000;
const CHANGES = 300;
const LOGOUTS = 100;
const LOGOUTS_AT_ONCE = 16;

export async function measureCitus(plan: CitusPlan): Promise<Citus> {
  const citus = findCitus();
  if (citus.kind === 'missing') throw new Error(citus.advice);
  const points = Object.fromEntries(operations.map(name => [name, [] as CitusPoint[]])) as Points;
  for (const applications of plan.applications) {
    plan.say(`Citus: ${applications} applications…`);
    await inPlace(WORKERS, plan, place => measureApplications(place, applications, plan, points));
  }
  const referenceWrites: ReferenceWrite[] = [];
  for (const workers of plan.workers) {
    plan.say(`Citus: reference tables on ${workers} workers…`);
    await inPlace(workers, plan, async place => referenceWrites.push(await measureReferenceWrites(place, workers)));
  }
  plan.say('Citus: logouts…');
  const logouts: Logout[] = [];
  await inPlace(WORKERS, plan, async place => logouts.push(await measureLogouts(place)));
  return { workers: WORKERS, points, referenceWrites, ...(logouts[0] && { logout: logouts[0] }) };
}

async function inPlace(
  workers: number,
  { quietly }: Pick<CitusPlan, 'quietly'>,
  work: (place: Place) => Promise<unknown>,
): Promise<void> {
  const place = await openCitusPlace(workers, SHARDS, SETTINGS);
  try {
    await provisionGatehouse(place, users);
    pinDatabase(place);
    await quietly(() => work(place));
  } finally {
    endLoad();
    await place.close();
  }
}

async function measureApplications(place: Place, applications: number, plan: CitusPlan, points: Points): Promise<void> {
  await addApplications(place, applications, FAMILIES, CODES, SESSIONS);
  writeLines(
    usernameFile(place.folder),
    users.filter(({ password }) => password !== undefined).map(({ username }) => username),
  );
  const observer = await Observer.open(urlOf(place));
  const { target: one, stop } = await startGatehouse(place);
  const target = { ...one, requests: requestsOfEach(one.requests) };
  try {
    await checkAnswers(target);
    // A node makes one hash at a time, so logins share nothing, of however many applications they are.
    const names = operations.filter(name => applications === 1 || name !== 'password');
    const measured = await measureTasks(target, tasksOf(names, plan.connections), observer, plan);
    for (const [{ operation, connections }, rounds] of measured) {
      const { middle, each } = mediansOf(rounds);
      points[operation].push({
        measured: today(),
        applications,
        connections,
        perSecond: middle(({ perSecond }) => perSecond),
        p50: middle(({ p50 }) => p50),
        p99: middle(({ p99 }) => p99),
        nodeUs: middle(({ serverCpu }) => serverCpu),
        coordinatorUs: middle(({ databaseCpu = Number.NaN, workerCpu = Number.NaN }) => databaseCpu - workerCpu),
        workerUs: middle(({ workerCpu }) => workerCpu),
        clientUs: middle(clientTime),
        calls: each('transactions'),
        requests: Math.round(middle(({ requests }) => requests)),
      });
    }
  } finally {
    await stop();
    await observer.close();
  }
}

/** Names of users stand in their file alone; all else with the application it belongs to. */
function requestsOfEach(requests: Target['requests']): Target['requests'] {
  const names = operations.filter(name => name !== 'password');
  const each = Object.fromEntries(names.map(name => [name, requestOfEach(requests[name] as RequestForm)]));
  return { ...requests, ...each };
}

async function measureReferenceWrites(place: Place, workers: number): Promise<ReferenceWrite> {
  const rows = await openRows(place);
  const subs = (await rows.all('users')).map(({ sub }) => sub as string);
  await rows.close();
  const store = await openStore(storeAddress(place, GATEHOUSE), {});
  const change = (sub: string) => store.updateProfile(sub, { nickname: 'Changed' }, Math.floor(Date.now() / 1000));
  // The first statements of a connection are planned, and connect the coordinator with its workers.
  const first = subs.splice(0, 100);
  for (const sub of first) await change(sub);
  const before = timesOf(place);
  const times: number[] = [];
  for (const sub of subs.slice(0, CHANGES)) {
    const began = performance.now();
    await change(sub);
    times.push(performance.now() - began);
  }
  const after = timesOf(place);
  await store.close();
  const each = (name: keyof typeof before) => ((after[name] - before[name]) / times.length) * 1e6;
  const [coordinatorUs, workerUs] = [each('coordinator'), each('workers') / workers];
  return { measured: today(), workers, p50: median(times), coordinatorUs, workerUs };
}

/** By the store itself, of sessions that each have one client: one after the other, then many at once. */
async function measureLogouts(place: Place): Promise<Logout> {
  const store = await openStore(storeAddress(place, GATEHOUSE), { timeoutMs: 30_000 });
  const sessionsFor = async (count: number) => {
    const issued: Issued[] = [];
    for (let number = 0; number < count; number += 1) issued.push(await issue(store, number));
    return issued;
  };
  const logout = ({ session }: Issued) => store.endSession({ idHash: session }, Math.floor(Date.now() / 1000));
  for (const issued of await sessionsFor(LOGOUTS / 5)) await logout(issued);
  const alone = await sessionsFor(LOGOUTS);
  const before = timesOf(place);
  const times: number[] = [];
  for (const issued of alone) {
    const began = performance.now();
    await logout(issued);
    times.push(performance.now() - began);
  }
  const after = timesOf(place);
  const crowd = (await sessionsFor(LOGOUTS)).values();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: LOGOUTS_AT_ONCE }, async () => {
      for (const issued of crowd) await logout(issued);
    }),
  );
  const crowdedMs = (performance.now() - began) / LOGOUTS;
  await store.close();
  const each = (name: keyof typeof before) => ((after[name] - before[name]) / times.length) * 1e6;
  return {
    ...{ measured: today(), p50: median(times), crowdedMs },
    ...{ coordinatorUs: each('coordinator'), workerUs: each('workers') },
  };
}

/** Seconds. */
function timesOf({ postgres }: Place): { readonly coordinator: number; readonly workers: number } {
  const time = (pid: number) => databaseTime(pid) ?? Number.NaN;
  const workers = postgres?.workerPids?.reduce((sum, pid) => sum + time(pid), 0) ?? Number.NaN;
  return { coordinator: time(postgres?.pid ?? 0), workers };
}
