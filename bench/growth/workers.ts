/**
 * What a second worker process (GATEHOUSE_WORKERS) on a second core brings. As in bench/nodes.ts, the load and PostgreSQL have
 * the same cores as the server each time, so that the second system has exactly twice the machine of the first.
 */
import { checkAnswers } from '../check.ts';
import { moveTo } from '../child.ts';
import { type Target, users, type Work } from '../fixture.ts';
import { Generator, load } from '../load/load.ts';
import { residentMemoryOfAll } from '../processor.ts';
import { addUsersWithTokens } from '../servers/families.ts';
import { provisionGatehouse, startGatehouse } from '../servers/gatehouse.ts';
import { compare, type Pair, type Rate, say } from './compare.ts';
import type { Options } from './options.ts';
import type { Report } from './report.ts';
import type { Stage } from './stage.ts';

const USERS = 1000;

interface System {
  readonly target: Target;
  readonly generators: readonly Generator[];
}

export async function measureWorkers(stage: Stage, options: Options): Promise<Report> {
  const few = await startSystem(stage, options.few, options.tokens);
  const many = await startSystem(stage, options.many, options.tokens);
  const pair = (work: Work): Pair => ({ few: rateOf(few, work, options), many: rateOf(many, work, options) });
  const compared = await compare({ introspection: pair('introspection'), userinfo: pair('userinfo') }, options);
  for (const { target } of [few, many]) await checkAnswers(target);
  return { compared, memory: residentMemoryOfAll(many.target.pid ?? 0) };
}

/** A worker and a generator for each of the cores, and one PostgreSQL on all of them. */
async function startSystem(stage: Stage, workers: number, tokens: number): Promise<System> {
  say(`Starting a server of ${workers}…`);
  const cores = Array.from({ length: workers }, (_, core) => core);
  const place = await stage.place(`workers-${workers}`);
  if (place.postgres) moveTo(cores, place.postgres.pid);
  await provisionGatehouse(place, users.slice(0, 1));
  await addUsersWithTokens(place, USERS, tokens);
  const { target: whole, stop } = await startGatehouse(place, { cores, env: { GATEHOUSE_WORKERS: String(workers) } });
  stage.atEnd(stop);
  const { introspection, userinfo } = whole.requests;
  const target = { ...whole, requests: { ...(introspection && { introspection }), ...(userinfo && { userinfo }) } };
  await checkAnswers(target);
  const generators = cores.map(() => new Generator(cores));
  stage.atEnd(() => {
    for (const generator of generators) generator.close();
  });
  return { target, generators };
}

function rateOf({ target, generators }: System, work: Work, options: Options): () => Promise<Rate> {
  const { seconds } = options;
  const connections = Math.ceil(options.connections / generators.length);
  return async () => {
    const samples = await Promise.all(
      generators.map(generator => load(target, work, { seconds, connections }, generator)),
    );
    return { perSecond: samples.reduce((sum, { perSecond }) => sum + perSecond, 0), cpu: undefined };
  };
}
