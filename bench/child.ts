import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** Servers share one core and are loaded one at a time; the load comes from the other. */
const SERVER_CORE = 0;
export const LOAD_CORE = 1;

export const canPin = availableParallelism() > 1 && isOnPath('taskset');

function isOnPath(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0;
}

export function pinned(core: number, program: string, args: readonly string[]): readonly [string, string[]] {
  return canPin ? ['taskset', ['-c', String(core), program, ...args]] : [program, [...args]];
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
// An interrupted benchmark leaves no server behind, PostgreSQL included.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** A Node program on the core of the servers. Its output is shown only when it fails to start. */
export function startServer(args: readonly string[], { env, cwd }: Pick<SpawnOptions, 'env' | 'cwd'>) {
  const [program, all] = pinned(SERVER_CORE, process.execPath, args);
  const child = spawn(program, all, {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  let stopping = false;
  child.stderr?.on('data', chunk => {
    complaints = (complaints + chunk).slice(-4000);
  });
  running.add(child);
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()));
  child.once('exit', code => {
    running.delete(child);
    if (!stopping) {
      process.stderr.write(`${args.join(' ')} ended with ${code}\n${complaints}\n`);
      process.exit(1);
    }
  });
  if (child.pid === undefined) throw new Error(`cannot start ${args.join(' ')}`);
  return {
    pid: child.pid,
    stop: (): Promise<void> => {
      stopping = true;
      child.kill('SIGTERM');
      return ended;
    },
  };
}

const READY_TIMEOUT_MS = 120_000;
const PAUSE_MS = 4;

/** Milliseconds until the address answers with a status below `before`. */
export async function untilReady(url: string, since: number, before = 300): Promise<number> {
  while (performance.now() - since < READY_TIMEOUT_MS) {
    const ready = await fetch(url).then(
      async answer => {
        await answer.text();
        return answer.status < before;
      },
      () => false,
    );
    if (ready) return performance.now() - since;
    await pause(PAUSE_MS);
  }
  throw new Error(`${url} did not answer in time`);
}
