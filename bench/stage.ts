/** The servers of one store, all with the same data and all running; one at a time is loaded. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { checkAnswers } from './check.ts';
import type { Target } from './fixture.ts';
import type { StoreName } from './options.ts';
import { residentMemory } from './processor.ts';
import { targetByUrl } from './servers/by-url.ts';
import type { Contents } from './servers/fill.ts';
import { prepareFloor, startFloor } from './servers/floor.ts';
import { type ClientSettings, prepareGatehouse, startGatehouse } from './servers/gatehouse.ts';
import { startOidcProvider } from './servers/oidc-provider.ts';
import { openPlace, type Place, type Started } from './servers/place.ts';

export interface Stage {
  readonly targets: readonly Target[];
  /** Milliseconds to the first answer of Gatehouse; the first time without compiled sources. */
  readonly starts: readonly number[];
  readonly idleMemory: number | undefined;
  /** Checks once more that the answers are good, and ends everything. */
  close(): Promise<void>;
}

export interface StageOptions extends Contents {
  readonly client?: ClientSettings;
  readonly peers: boolean;
  /** External servers: name=url. */
  readonly byUrl: readonly string[];
  /** How often Gatehouse is started, to know how long it takes. */
  readonly starts: number;
}

const SETTLE_MS = 2000;

export async function openStage(store: StoreName, options: StageOptions): Promise<Stage> {
  const { peers, byUrl, starts: times, client, ...contents } = options;
  const place = await openPlace(store);
  const started = peers && place.postgres ? [await startOidcProvider(place, contents)] : [];
  await prepareGatehouse(place, contents, client);
  const starts = await startAndStop(place, times - 1);
  await prepareFloor(place);
  const gatehouse = await startGatehouse(place);
  if (times > 1) await pause(SETTLE_MS);
  const idleMemory = residentMemory(gatehouse.target.pid ?? 0);
  const floor = await startFloor(place, gatehouse.target);
  const elsewhere = await Promise.all(byUrl.map(peer => targetByUrl(peer, place.folder)));
  const own: readonly Started[] = [gatehouse, floor, ...started];
  const targets = [...own.map(({ target }) => target), ...elsewhere];
  for (const target of targets) await checkAnswers(target);
  return {
    targets,
    starts: [...starts, gatehouse.milliseconds],
    idleMemory,
    close: async () => {
      for (const target of targets) await checkAnswers(target);
      for (const { stop } of own) await stop();
      await place.close();
    },
  };
}

/** The first start finds no compiled sources, the others those of `npm ci`. */
async function startAndStop(place: Place, times: number): Promise<number[]> {
  const starts: number[] = [];
  const codeCache = join(place.folder, 'no-code-yet');
  for (let count = 0; count < times; count++) {
    const { milliseconds, stop } = await startGatehouse(place, count === 0 ? { codeCache } : {});
    starts.push(milliseconds);
    await stop();
  }
  return starts;
}
