import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.ts';
import { npmStart } from '../../src/assembly/npm-start.ts';
import { startServer, untilReady } from '../child.ts';
import type { Target, Work } from '../fixture.ts';
import { createDatabase, databaseOf, GATEHOUSE, type Place, ROOT, type Started, storeUrl } from './place.ts';

export const FLOOR = 'floor';
const works: readonly Work[] = ['introspection', 'userinfo', 'code', 'refresh', 'password'];

/** A copy of the store of Gatehouse, which must have no connection. */
export async function prepareFloor({ folder, postgres }: Place): Promise<void> {
  if (postgres) await createDatabase(postgres.url, FLOOR, GATEHOUSE);
  else copyFileSync(join(folder, `${GATEHOUSE}.db`), join(folder, `${FLOOR}.db`));
}

/** The requests are those of `like`; Node.js has the options that Gatehouse runs with. */
export async function startFloor(place: Place, like: Target, nodeArgs: readonly string[] = []): Promise<Started> {
  const port = await freePort();
  const began = performance.now();
  const usual = npmStart();
  const main = ['bench/servers/floor/main.ts', String(port), storeUrl(place, FLOOR)];
  const args = [...nodeArgs, ...usual.options, ...main];
  const server = startServer(args, { env: { ...usual.env, NODE_ENV: 'production' }, cwd: ROOT });
  const requests: { [W in Work]?: Target['requests'][W] } = {};
  for (const work of works) {
    const form = like.requests[work];
    if (form) requests[work] = { ...form, url: Object.assign(new URL(form.url), { port: String(port) }).href };
  }
  const milliseconds = await untilReady(`http://127.0.0.1:${port}/`, began, 500);
  return {
    target: { name: FLOOR, pid: server.pid, ...databaseOf(place, FLOOR), requests },
    milliseconds,
    stop: server.stop,
  };
}
