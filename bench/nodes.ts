/**
 * `npm run bench:nodes`: what a second node brings. One node on one core is compared with two nodes on two, each time with
 * PostgreSQL and the load on the same cores, so that the second system has exactly twice the machine of the first. Measured
 * in turn; the ratio of a round is what counts.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type PostgresServer, startPostgres } from '../scripts/postgres.ts';
import { checkAnswers } from './check.ts';
import { moveTo } from './child.ts';
import { createDatabase } from './databases.ts';
import type { Work } from './fixture.ts';
import { Generator, load } from './load/load.ts';
import { median } from './report/median.ts';
import { GATEHOUSE, prepareGatehouse, startGatehouse } from './servers/gatehouse.ts';
import type { Started } from './servers/place.ts';
import { endStatements, postgresSettings } from './statements.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
  },
});
const TOKENS = 20_000;
const LEAST = 1.6;
const works: readonly Work[] = ['introspection', 'userinfo'];

interface System {
  readonly nodes: readonly Started[];
  readonly generators: readonly Generator[];
}

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-nodes-'));
const databases: PostgresServer[] = [];
try {
  const [one, two] = [await startSystem([0]), await startSystem([0, 1])];
  for (const work of works) await compare(work, one, two);
  for (const { nodes, generators } of [one, two]) {
    for (const generator of generators) generator.close();
    for (const { stop } of nodes) await stop();
  }
} finally {
  await endStatements();
  for (const server of databases) await server.remove();
  rmSync(folder, { recursive: true, force: true });
}

/** A node and a generator for each of the cores, and one PostgreSQL on all of them. */
async function startSystem(cores: readonly number[]): Promise<System> {
  const postgres = await startPostgres({ settings: postgresSettings });
  databases.push(postgres);
  moveTo(cores, postgres.pid);
  await createDatabase(postgres.url, GATEHOUSE);
  const place = { folder: join(folder, String(cores.length)), postgres };
  mkdirSync(place.folder);
  await prepareGatehouse(place, { tokens: TOKENS });
  const nodes: Started[] = [];
  for (const core of cores) {
    const node = await startGatehouse(place, { cores: [core] });
    await checkAnswers(node.target);
    nodes.push(node);
  }
  return { nodes, generators: cores.map(() => new Generator(cores)) };
}

async function compare(work: Work, one: System, two: System): Promise<void> {
  const ratios: number[] = [];
  for (let round = 0; round <= Number(values.rounds); round++) {
    const [alone, together] = [await rateOf(one, work), await rateOf(two, work)];
    // The first is for the compiler.
    if (round > 0) ratios.push(together / alone);
  }
  const sorted = ratios.toSorted((a, b) => a - b);
  const range = `${sorted[0]?.toFixed(2)} to ${sorted.at(-1)?.toFixed(2)}`;
  const reached = median(ratios) >= LEAST ? 'yes' : 'no';
  process.stdout.write(
    `two nodes on two cores against one on one, ${work}: ${median(ratios).toFixed(2)} × (${range}), target ${LEAST} ×: ${reached}\n`,
  );
}

async function rateOf({ nodes, generators }: System, work: Work): Promise<number> {
  const options = { seconds: Number(values.seconds), connections: Number(values.connections) / nodes.length };
  const samples = await Promise.all(nodes.map(({ target }, index) => load(target, work, options, generators[index])));
  return samples.reduce((sum, { perSecond }) => sum + perSecond, 0);
}
