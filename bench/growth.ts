/**
 * `npm run bench:growth`: whether introspection and refresh cost the same with ten thousand live tokens and with ten
 * million. Two servers, one on each, are measured in turn; the ratio of a round is what counts.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type PostgresServer, startPostgres } from '../scripts/postgres.ts';
import { checkAnswers } from './check.ts';
import { createDatabase } from './databases.ts';
import type { Work } from './fixture.ts';
import { endLoad, load } from './load/load.ts';
import { median } from './report/median.ts';
import { GATEHOUSE, prepareGatehouse, startGatehouse } from './servers/gatehouse.ts';
import { growTokens } from './servers/grow.ts';
import type { Place } from './servers/place.ts';
import { endStatements, postgresSettings } from './statements.ts';

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'sqlite' },
    few: { type: 'string', default: '10000' },
    many: { type: 'string', default: '10000000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '64' },
  },
});
const store = values.store === 'postgres' ? 'postgres' : 'sqlite';
const sizes = { few: Number(values.few), many: Number(values.many) };
const MOST_RATIO = 1.3;
const works: readonly Work[] = ['introspection', 'refresh'];

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-growth-'));
/** A server each, since each has its own processes and the same name of the database. */
const servers: PostgresServer[] = [];
try {
  await measureGrowth();
} finally {
  endLoad();
  await endStatements();
  for (const server of servers) await server.remove();
  rmSync(folder, { recursive: true, force: true });
}

async function measureGrowth(): Promise<void> {
  const few = await prepare('few', sizes.few);
  const many = await prepare('many', sizes.many);
  for (const { target } of [few, many]) await checkAnswers(target);
  const costs = new Map<string, { few: number; many: number }[]>(works.map(work => [work, []]));
  for (let round = 0; round <= Number(values.rounds); round++) {
    say(round === 0 ? 'Warming up…' : `Round ${round} of ${values.rounds}…`);
    for (const work of works) {
      const cost = { few: await timeOf(few, work), many: await timeOf(many, work) };
      if (round > 0) costs.get(work)?.push(cost);
    }
  }
  for (const { target, stop } of [few, many]) {
    await checkAnswers(target);
    await stop();
  }
  publish(costs);
}

type Server = Awaited<ReturnType<typeof prepare>>;

async function prepare(name: 'few' | 'many', tokens: number) {
  say(`Making ${tokens} live tokens…`);
  const place = await placeFor(name);
  mkdirSync(place.folder, { recursive: true });
  await prepareGatehouse(place, 0);
  const server = await startGatehouse(place);
  await server.stop();
  await growTokens(place, tokens);
  return startGatehouse(place);
}

async function placeFor(name: string): Promise<Place> {
  const own = join(folder, name);
  if (store === 'sqlite') return { folder: own };
  const postgres = await startPostgres({
    settings: { ...postgresSettings, max_wal_size: '16GB', shared_buffers: '1GB' },
  });
  servers.push(postgres);
  await createDatabase(postgres.url, GATEHOUSE);
  return { folder: own, postgres };
}

/** Seconds for one request, when the server is never idle. */
async function timeOf({ target }: Server, work: Work): Promise<number> {
  const options = { seconds: Number(values.seconds), connections: Number(values.connections) };
  return 1 / (await load(target, work, options)).perSecond;
}

function publish(costs: ReadonlyMap<string, readonly { few: number; many: number }[]>): void {
  const rows = [...costs].map(([work, rounds]) => {
    const ratio = median(rounds.map(({ few, many }) => many / few));
    const rate = (of: 'few' | 'many') => Math.round(1 / median(rounds.map(round => round[of])));
    return { work, few: rate('few'), many: rate('many'), ratio, reached: ratio <= MOST_RATIO };
  });
  const lines = rows.map(
    ({ work, few, many, ratio, reached }) =>
      `| ${work} | ${few} | ${many} | ${ratio.toFixed(2)} × | at most ${MOST_RATIO} × | ${reached ? 'yes' : '**no**'} |`,
  );
  const head = `| ${store} | requests/s, ${sizes.few} tokens | requests/s, ${sizes.many} tokens | cost | target | reached |`;
  process.stdout.write(`\n${[head, '|---|---|---|---|---|---|', ...lines].join('\n')}\n`);
  const results = new URL('results/', import.meta.url);
  mkdirSync(results, { recursive: true });
  const name = `growth-${store}-${new Date().toISOString().replaceAll(':', '-')}.json`;
  writeFileSync(new URL(name, results), `${JSON.stringify({ store, sizes, rows }, null, 2)}\n`);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
