import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';

/** Servers share one core and are loaded one at a time; the load comes from the other. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

export const canPin = availableParallelism() > 1 && isOnPath('taskset');

export function isOnPath(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0;
}

export interface Command {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export function pinned(core: number, program: string, args: readonly string[]): readonly [string, string[]] {
  return canPin ? ['taskset', ['-c', String(core), program, ...args]] : [program, [...args]];
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A Node program on the core of the servers. Its output is shown only when it fails to start. */
export function startServer({ args, env, cwd }: Command): { readonly pid: number; readonly stop: () => Promise<void> } {
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
    stop: () => {
      stopping = true;
      child.kill('SIGTERM');
      return ended;
    },
  };
}

const PATIENCE_MS = 120_000;
const PAUSE_MS = 4;

/** Milliseconds until the address answers 200. */
export async function untilReady(url: string, since: number): Promise<number> {
  while (performance.now() - since < PATIENCE_MS) {
    const ready = await fetch(url).then(
      async answer => {
        await answer.text();
        return answer.ok;
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

/** Resident memory in MB. */
export function residentMemory(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}

/** Seconds of processor time so far, all threads; undefined where there is no /proc. */
export function processorTime(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

/** USER_HZ of Linux, the same on every architecture that Node.js runs on. */
const TICKS_PER_SECOND = 100;
