/** The servers of one store, all with the same data and all running; one at a time is loaded. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '../scripts/postgres.ts';
import { checkAnswers } from './check.ts';
import { pause } from './child.ts';
import { createDatabase } from './databases.ts';
import { FEWER_CODES, type Target, type Work } from './fixture.ts';
import type { Options, StoreName } from './options.ts';
import { residentMemory } from './processor.ts';
import { startBetterAuth } from './servers/better-auth.ts';
import { targetByUrl } from './servers/by-url.ts';
import { prepareFloor, startBare, startFloor } from './servers/floor.ts';
import { GATEHOUSE, prepareGatehouse, startGatehouse } from './servers/gatehouse.ts';
import { startOidcProvider } from './servers/oidc-provider.ts';
import type { Place, Started } from './servers/place.ts';
import { endStatements, postgresSettings } from './statements.ts';

export interface Stage {
  readonly store: StoreName;
  readonly place: Place;
  readonly gatehouse: Target;
  readonly floor: Target;
  readonly targets: readonly Target[];
  /** Milliseconds to the first answer of Gatehouse; the first time without compiled sources. */
  readonly starts: readonly number[];
  readonly idleMemory: number | undefined;
  /** Checks once more that the answers are good, and ends everything. */
  close(): Promise<void>;
}

const STARTS = 6;
const SETTLE_MS = 2000;
/** How many codes there are for that work. */
export function codesOf(
  { gatehouse, floor }: Pick<Stage, 'gatehouse' | 'floor'>,
  target: Target,
  work: Work,
  codes: number,
): number {
  const all = work === 'code' && (target === gatehouse || target === floor);
  return all ? codes : Math.min(codes, FEWER_CODES);
}

export async function openStage(store: StoreName, options: Options, folder: string): Promise<Stage> {
  const postgres = store === 'postgres' ? await startPostgres({ settings: postgresSettings }) : undefined;
  const place: Place = { folder: join(folder, store), ...(postgres && { postgres }) };
  mkdirSync(place.folder);
  if (postgres) await createDatabase(postgres.url, GATEHOUSE);
  const [peers] = await Promise.all([startPeers(place, options), prepareGatehouse(place, options)]);
  const own = await startRepeatedly(place, options.everything ? STARTS : 1);
  const floor = await startFloor(place, own.gatehouse.target, options.floorLookups);
  const answers = await checkAnswers(own.gatehouse.target);
  const bare = options.everything ? [await startBare(own.gatehouse.target, answers)] : [];
  const started = [own.gatehouse, floor, ...bare, ...peers];
  const byUrl = await Promise.all(options.byUrl.map(peer => targetByUrl(peer, place.folder)));
  const targets = [...started.map(({ target }) => target), ...byUrl];
  for (const target of targets) await checkAnswers(target);
  return {
    store,
    place,
    gatehouse: own.gatehouse.target,
    floor: floor.target,
    targets,
    starts: own.starts,
    idleMemory: own.idleMemory,
    close: async () => {
      for (const target of targets) await checkAnswers(target);
      for (const { stop } of started) await stop();
      await endStatements();
      await postgres?.remove();
      rmSync(place.folder, { recursive: true, force: true });
    },
  };
}

/** In memory beside the embedded store, on PostgreSQL beside PostgreSQL. */
async function startPeers(place: Place, options: Options): Promise<Started[]> {
  if (!options.peers) return [];
  const codes = Math.min(options.codes, FEWER_CODES);
  const starting = [startOidcProvider(place, options.tokens, codes)];
  if (place.postgres) starting.push(startBetterAuth(place, options.tokens, codes));
  return Promise.all(starting);
}

/** The first start finds no compiled sources, the others those of `npm ci`. The last one stays. */
async function startRepeatedly(
  place: Place,
  times: number,
): Promise<{
  gatehouse: Started;
  starts: readonly number[];
  idleMemory: number | undefined;
}> {
  const starts: number[] = [];
  const codeCache = join(place.folder, 'no-code-yet');
  for (let count = 1; count < times; count++) {
    const { milliseconds, stop } = await startGatehouse(place, count === 1 ? { codeCache } : {});
    starts.push(milliseconds);
    await stop();
  }
  await prepareFloor(place);
  const gatehouse = await startGatehouse(place);
  starts.push(gatehouse.milliseconds);
  if (times > 1) await pause(SETTLE_MS);
  const { pid } = gatehouse.target;
  return { gatehouse, starts, idleMemory: pid === undefined ? undefined : residentMemory(pid) };
}
