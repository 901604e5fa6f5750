/**
 * `npm run bench:scale`: how many machines so many users need, by a simulation that takes its figures from bench/scale/recorded.json;
 * `--measure` measures them again, `--measure --citus` those of a cluster. docs/scale.md explains the tables.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parse, positive, say, wrongUsage } from './options.ts';
import { type Behaviour, behaviour, type Machines, machines } from './scale/assumptions.ts';
import { calibration } from './scale/derive.ts';
import { type MeasuredSize, type MeasurePlan, measureAll } from './scale/measure.ts';
import { measureCitus } from './scale/measure-citus.ts';
import { isPlanned, planFor, type Unplanned } from './scale/plan.ts';
import { compareAll, compareCitus } from './scale/predict.ts';
import { FILE, mergeCitus, readRecorded, writeRecorded } from './scale/recorded.ts';
import { comparisonTable, costTable, planTable, rowTable, tablesOfPlan, whyUnplanned } from './scale/report.ts';
import { citusCostTable, largestTable, logoutTable, referenceTable } from './scale/report-citus.ts';

const { values } = parse({
  options: {
    measure: { type: 'boolean', default: false },
    /** What is planned, and assumptions that differ. */
    plan: { type: 'string', default: '10000,1000000,100000000,1000000000' },
    set: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string', default: '1' },
    /** Requests to simulate in each trial; fewer are faster and less exact. */
    requests: { type: 'string' },
    /** What is measured. */
    users: { type: 'string', default: '10000,50000,150000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '1,8,64' },
    /** To see that a measurement works. */
    quick: { type: 'boolean', default: false },
    citus: { type: 'boolean', default: false },
    applications: { type: 'string', default: '1,10,1000' },
    workers: { type: 'string', default: '1,2,4' },
    /** A file that others respect who share the machine: it exists while something is measured. */
    lock: { type: 'string' },
    file: { type: 'string' },
  },
});
/** Larger stores get a shorter history, or filling them would take an hour. */
const USERS_WITH_HISTORY = 30_000;
const MIN_TOKEN_DAYS = 1;
const MIN_EVENT_DAYS = 10;
/** Others who share the machine may have to finish what they began: until so little is busy, but not for ever. */
const MAX_BUSY = 0.1;
const MAX_WAIT_SECONDS = 45;
const file = values.file ?? FILE;
if (values.citus && !values.measure) wrongUsage('--citus needs --measure');
if (!values.measure) simulateAll();
else if (values.citus) await measureCluster();
else await measure();

function simulateAll(): void {
  const recorded = readRecorded(file);
  const requests = values.requests === undefined ? {} : { requests: positive(values.requests) };
  const options = { recorded, ...assumptions(), seed: positive(values.seed), ...requests };
  const tried = numbers(values.plan).map(users => planFor(users, options));
  const plans = tried.filter(isPlanned);
  const unplanned = tried.filter((plan): plan is Unplanned => !isPlanned(plan));
  for (const one of unplanned) say(whyUnplanned(one, options.machines));
  if (unplanned.length > 0) process.exitCode = 1;
  if (plans.length === 0) return;
  const memory = calibration(recorded).nodeMemoryMb;
  print('Machines', planTable(plans, options.machines.nodeCores, memory));
  print('Rows', tablesOfPlan(plans));
  print('The largest deployments', largestTable(options));
  print('Predicted and measured', comparisonTable(compareAll(recorded, options)));
  if (recorded.citus) print('Predicted and measured: Citus', comparisonTable(compareCitus(recorded, options)));
  print('Measured: operations', costTable(recorded));
  if (recorded.citus) {
    print('Measured: operations on Citus', citusCostTable(recorded.citus));
    print('Measured: reference tables of Citus', referenceTable(recorded.citus));
    print('Measured: logouts on Citus', logoutTable(recorded.citus));
  }
  print('Measured: rows', rowTable(recorded));
}

function print(title: string, text: string): void {
  process.stdout.write(`\n## ${title}\n\n${text}\n`);
}

/** `--set name=number`, of a user or of the machines. */
function assumptions(): { behaviour: Behaviour; machines: Machines } {
  const all = { behaviour: { ...behaviour }, machines: { ...machines } };
  for (const setting of values.set) {
    const [name = '', value = ''] = setting.split('=');
    const group = [all.behaviour, all.machines].find(one => typeof one[name as keyof typeof one] === 'number');
    if (!group || !Number.isFinite(Number(value)) || value === '')
      wrongUsage(`${setting} is no name=number of assumptions.ts`);
    Object.assign(group, { [name]: Number(value) });
  }
  return all;
}

/** Sizes that are not measured this time keep their figures, as do those of Citus. */
async function measure(): Promise<void> {
  const plan: MeasurePlan = { ...common(), sizes: numbers(values.users).map(measuredSize) };
  const before = existsSync(file) ? readRecorded(file) : undefined;
  const measured = await measureAll(plan);
  const isNew = ({ users }: { users: number }) => measured.sizes.some(size => size.users === users);
  const sizes = [...(before?.sizes.filter(size => !isNew(size)) ?? []), ...measured.sizes];
  sizes.sort((one, other) => one.users - other.users);
  writeRecorded({ ...measured, sizes, ...(before?.citus && { citus: before.citus }) }, file);
}

/** Into the file of the other figures. Numbers of applications or workers that are not measured this time keep theirs. */
async function measureCluster(): Promise<void> {
  const before = readRecorded(file);
  const workers = values.workers === 'none' ? [] : numbers(values.workers);
  const applications = values.applications === 'none' ? [] : numbers(values.applications);
  const measured = await measureCitus({ ...common(), applications, workers });
  writeRecorded({ ...before, citus: before.citus ? mergeCitus(before.citus, measured) : measured }, file);
}

function common() {
  const [connections, { quick }] = [numbers(values.connections), values];
  return { rounds: positive(values.rounds), seconds: positive(values.seconds), connections, quick, quietly, say };
}

function numbers(list: string): number[] {
  return list.split(',').map(positive);
}

async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { lock } = values;
  if (lock === undefined) return work();
  while (existsSync(lock)) await pause(1000);
  writeFileSync(lock, 'bench:scale\n');
  try {
    await untilIdle();
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function measuredSize(users: number): MeasuredSize {
  const share = Math.min(1, USERS_WITH_HISTORY / users);
  const tokenDays = Math.max(MIN_TOKEN_DAYS, behaviour.tokenDays * share);
  const eventDays = Math.max(MIN_EVENT_DAYS, behaviour.eventDays * share);
  return { users, behaviour: { ...behaviour, tokenDays, eventDays } };
}

async function untilIdle(): Promise<void> {
  for (let second = 0; second < MAX_WAIT_SECONDS; second++) {
    const before = processorTimes();
    await pause(1000);
    const after = processorTimes();
    if ((after.busy - before.busy) / (after.all - before.all) < MAX_BUSY) return;
  }
}

function processorTimes(): { readonly busy: number; readonly all: number } {
  const times = cpus().map(({ times }) => times);
  const sum = (of: (time: (typeof times)[number]) => number) => times.reduce((all, time) => all + of(time), 0);
  const idle = sum(time => time.idle);
  const all = sum(({ user, nice, sys, irq }) => user + nice + sys + irq) + idle;
  return { busy: all - idle, all };
}
