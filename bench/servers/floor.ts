import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, startServer, untilReady } from '../child.ts';
import { createDatabase } from '../databases.ts';
import type { Target, Work } from '../fixture.ts';
import type { RequestForm } from '../load/request.ts';
import type { Lookups } from './floor/postgres.ts';
import { GATEHOUSE } from './gatehouse.ts';
import { databaseOf, databaseUrl, type Place, ROOT, type Started } from './place.ts';

export const FLOOR = 'floor';
export const BARE = 'bare node:http';

/** What Gatehouse has stored, once more for the floor. While nobody has the database open. */
export async function prepareFloor({ folder, postgres }: Place): Promise<void> {
  if (postgres) await createDatabase(postgres.url, FLOOR, GATEHOUSE);
  else copyFileSync(join(folder, 'gatehouse.db'), join(folder, 'floor.db'));
}

/** It is sent what `like` is sent. */
export async function startFloor(place: Place, like: Target, lookups: Lookups): Promise<Started> {
  const { folder, postgres } = place;
  const database = postgres ? databaseUrl(postgres, FLOOR) : `sqlite:${join(folder, 'floor.db')}`;
  const started = await start('bench/servers/floor/main.ts', [database, lookups], like, [
    'introspection',
    'userinfo',
    'code',
    'refresh',
  ]);
  return { ...started, target: { ...started.target, name: FLOOR, ...databaseOf(place, FLOOR) } };
}

/** It answers with what `like` answered, and asks nobody. */
export async function startBare(
  like: Target,
  answers: { readonly introspection: string; readonly userinfo: string },
): Promise<Started> {
  const texts = [answers.introspection, answers.userinfo];
  const started = await start('bench/servers/floor/bare.ts', texts, like, ['introspection', 'userinfo']);
  return { ...started, target: { ...started.target, name: BARE } };
}

async function start(script: string, args: readonly string[], like: Target, works: readonly Work[]): Promise<Started> {
  const port = await freePort();
  const began = performance.now();
  const server = startServer({
    args: [script, String(port), ...args],
    env: { NODE_ENV: 'production' },
    cwd: ROOT,
  });
  const moved = (form: RequestForm) => ({
    ...form,
    url: Object.assign(new URL(form.url), { port: String(port) }).href,
  });
  const requests = Object.fromEntries(
    works.flatMap(work => (like.requests[work] ? [[work, moved(like.requests[work])]] : [])),
  );
  const milliseconds = await untilReady(`http://127.0.0.1:${port}/`, began, 500);
  return { target: { name: script, pid: server.pid, requests }, milliseconds, stop: server.stop };
}
