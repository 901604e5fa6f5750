import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';

/** Servers share one core and are loaded one at a time; the load comes from the other. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

export const canPin = availableParallelism() > 1 && isOnPath('taskset');

function isOnPath(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0;
}

export interface Command {
  /** Instead of the one of the servers. What it starts has the same. */
  readonly cores?: readonly number[] | 'all';
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** It speaks with us by messages. */
  readonly ipc?: boolean;
}

export function pinned(
  core: number | readonly number[],
  program: string,
  args: readonly string[],
): readonly [string, string[]] {
  return canPin ? ['taskset', ['-c', [core].flat().join(), program, ...args]] : [program, [...args]];
}

/** A process that runs already, with all its threads, and what it will start from now on. */
export function moveTo(cores: readonly number[], pid: number | undefined): void {
  if (canPin && pid !== undefined) spawnSync('taskset', ['-apc', cores.join(), String(pid)], { stdio: 'ignore' });
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
// So that whoever interrupts the benchmark is not left with its servers, PostgreSQL among them.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** A Node program on the core of the servers. Its output is shown only when it fails to start. */
export function startServer({ args, env, cwd, cores = [SERVER_CORE], ipc = false }: Command): {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stop: () => Promise<void>;
} {
  const [program, all] = cores === 'all' ? [process.execPath, args] : pinned(cores, process.execPath, args);
  const child = spawn(program, all, {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
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
    child,
    pid: child.pid,
    stop: () => {
      stopping = true;
      child.kill('SIGTERM');
      return ended;
    },
  };
}

const PATIENCE_MS = 120_000;
const PAUSE_MS = 4;

/** Milliseconds until the address answers with a status below `before`. */
export async function untilReady(url: string, since: number, before = 300): Promise<number> {
  while (performance.now() - since < PATIENCE_MS) {
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

export function pause(milliseconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds));
}

export function freePort(): Promise<number> {
  return new Promise(resolve => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
