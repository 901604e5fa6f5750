/**
 * `npm run bench:citus`: what requests cost on Citus with one and with two workers, against one PostgreSQL server of the same
 * binaries, with one and with many applications. All of them run on this machine and are measured in alternating rounds, so this
 * shows what a cluster costs, not what it gains: that needs a machine for each worker.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findCitus } from '../scripts/citus.ts';
import { checkAnswers } from './check.ts';
import { type Target, titles, users, type Work } from './fixture.ts';
import type { Sample } from './load/load.ts';
import { endLoad } from './load/load.ts';
import type { RequestForm } from './load/request.ts';
import { type Measurement, measure, median, medianOf, ratios } from './measure.ts';
import { choices, parse, positive, say } from './options.ts';
import { addApplications, requestOfEach } from './servers/applications.ts';
import { provisionGatehouse, startGatehouse } from './servers/gatehouse.ts';
import { openCitusPlace, openPlace } from './servers/place.ts';

const WORKS = ['refresh', 'introspection', 'userinfo', 'code'] as const satisfies readonly Work[];
const { values } = parse({
  options: {
    applications: { type: 'string', default: '1,10,1000' },
    only: { type: 'string' },
    workers: { type: 'string', default: '1,2' },
    /** As Citus itself has it. */
    shards: { type: 'string', default: '32' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    tokens: { type: 'string', default: '20000' },
    codes: { type: 'string', default: '40000' },
    results: { type: 'string', default: fileURLToPath(new URL('results/', import.meta.url)) },
  },
});
const numbers = (list: string) => list.split(',').map(positive);
const plan = {
  works: choices(values.only, WORKS),
  rounds: positive(values.rounds),
  seconds: positive(values.seconds),
  connections: positive(values.connections),
};
const contents = { tokens: positive(values.tokens), codes: positive(values.codes) };
const shards = positive(values.shards);
const citus = findCitus();
if (citus.kind === 'missing') {
  process.stderr.write(`${citus.advice}\n`);
  process.exit(69);
}
const { binaries } = citus;
const ONE_SERVER = 'one server';
const places = [
  { name: ONE_SERVER, open: () => openPlace('postgres', { max_connections: '400' }, binaries) },
  ...numbers(values.workers).map(workers => ({
    name: `Citus, ${workers} worker${workers === 1 ? '' : 's'}`,
    open: () => openCitusPlace(workers, shards),
  })),
];
for (const applications of numbers(values.applications)) await measureWith(applications);

async function measureWith(applications: number): Promise<void> {
  const atEnd: (() => Promise<void>)[] = [];
  try {
    const targets: Target[] = [];
    for (const { name, open } of places) {
      say(`${name}: making ${applications} application${applications === 1 ? '' : 's'}…`);
      const place = await open();
      atEnd.push(place.close);
      await provisionGatehouse(
        place,
        users.map(({ password: _, ...user }) => user),
      );
      await addApplications(place, applications, contents.tokens, contents.codes);
      const { target, stop } = await startGatehouse(place);
      atEnd.push(stop);
      targets.push({ ...target, name, requests: requestsOf(target) });
    }
    for (const target of targets) await checkAnswers(target);
    const measurements = await measure(targets, plan, say);
    for (const target of targets) await checkAnswers(target);
    report(applications, measurements);
  } finally {
    endLoad();
    for (const end of atEnd.reverse()) await end();
  }
}

function requestsOf({ requests }: Target): Target['requests'] {
  return Object.fromEntries(plan.works.map(work => [work, requestOfEach(requests[work] as RequestForm)]));
}

/** As a table, and as a file with every round. The processor time is that of all servers of the database together. */
function report(applications: number, measurements: readonly Measurement[]): void {
  const rows = plan.works.flatMap(work =>
    places.map(({ name: server }) => {
      const side = { server, work };
      const of = (figure: (sample: Sample) => number | undefined) => medianOf(measurements, side, figure);
      const share = ratios(measurements, side, { server: ONE_SERVER, work }, ({ perSecond }) => perSecond);
      return {
        work,
        server,
        perSecond: of(({ perSecond }) => perSecond),
        share: median(share),
        p50: of(({ p50 }) => p50),
        p99: of(({ p99 }) => p99),
        serverCpu: of(({ serverCpu }) => serverCpu),
        databaseCpu: of(({ databaseCpu }) => databaseCpu),
      };
    }),
  );
  const head = `| ${applications} application${applications === 1 ? '' : 's'} | database | requests/s | share | p50, ms | p99, ms | µs, Gatehouse | µs, database |`;
  const lines = rows.map(
    ({ work, server, perSecond, share, p50, p99, serverCpu, databaseCpu }) =>
      `| ${titles[work]} | ${server} | ${perSecond.toFixed(0)} | ${share.toFixed(2)} × | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ` +
      `${serverCpu.toFixed(0)} | ${databaseCpu.toFixed(0)} |`,
  );
  process.stdout.write(`\n${[head, '|---|---|---|---|---|---|---|---|', ...lines].join('\n')}\n`);
  mkdirSync(values.results, { recursive: true });
  const name = `citus-${applications}-${new Date().toISOString().replaceAll(':', '-')}.json`;
  const all = { applications, shards, contents, plan, cores: availableParallelism(), rows, measurements };
  writeFileSync(join(values.results, name), `${JSON.stringify(all, null, 2)}\n`);
}
