import { join } from 'node:path';
import { ensureGuidePrograms } from '../../scripts/guide-programs.ts';
import type { Overrides } from '../../src/services.ts';
import { type Env, type Started, type StartedProcess, start, startInProcess } from '../assembly/run.ts';
import { runCommand } from '../build/command.ts';
import type { ServerAddress } from '../build/test-server.ts';
import { OUTSIDE, ROOT } from '../packaging/outside.ts';
import type { Guide } from './run-guide.ts';

/** What the guides for operators share: the programs on the path, a server beside the terminal, and its address for a browser. */
const PROGRAM = join(ROOT, 'bin/gatehouse');

/** The folder with psql and pg_dump, and a server of their release. */
export function postgresFolder(): string {
  const programs = ensureGuidePrograms();
  if (programs.kind === 'missing') throw new Error(programs.advice);
  return programs.postgres;
}

/** With `gatehouse`, as `npm link` puts it on the path, and the pinned Node.js. Programs in `first` hide those of the machine. */
export function operatorPath(...first: readonly string[]): string {
  return [...first, join(ROOT, 'bin'), join(ROOT, 'node_modules/.bin'), postgresFolder(), OUTSIDE.PATH].join(':');
}

/** `gatehouse serve` in the clone, until it serves. */
export async function serve(folder: string, env: Env): Promise<StartedProcess> {
  const server = start(PROGRAM, ['serve'], { GATEHOUSE_DEMO: 'false', ...env }, folder);
  await server.printed('"event":"started"');
  return server;
}

/** The same inside this process. */
export async function serveInProcess(folder: string, env: Env): Promise<Started> {
  const server = startInProcess({ GATEHOUSE_DEMO: 'false', DATABASE_URL: storeIn(folder), ...env });
  await server.printed('"event":"started"');
  return server;
}

/** What the test does beside the reader; the commands of the page are run as they stand. */
export const command = (folder: string, args: readonly string[], env: Env = {}, overrides: Overrides = {}) =>
  runCommand(args, { DATABASE_URL: storeIn(folder), ...env }, overrides);

/** The store of a server that was started in this folder. */
const storeIn = (folder: string) => `sqlite:${join(folder, 'data/gatehouse.db')}`;

export function addressOf(guide: Guide): ServerAddress {
  const base = `http://localhost:${guide.port(3000)}`;
  return { base, at: (app = 'shop') => `${base}/api/v1/authorize/${app}/oauth2` };
}

/** Settings of a process whose wall clock is wrong by this many seconds: from its start, or from SIGUSR2 on. */
export function wrongClock(seconds: number, from: 'start' | 'SIGUSR2' = 'start'): Env {
  const preload = new URL('../faults/shifted-clock.ts', import.meta.url).href;
  return {
    NODE_OPTIONS: `--import=${preload}`,
    CLOCK_WRONG_BY: String(seconds),
    ...(from === 'SIGUSR2' ? { CLOCK_JUMPS: 'true' } : {}),
  };
}
