import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/free-port.ts';
import { startTestServer, TEST_SECRET } from '../build/test-server.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A server in its own process, as an operator runs it: a test can kill it, overload it and fill its disk. */
export interface ServerProcess {
  readonly port: number;
  readonly base: string;
  readonly pid: number;
  readonly output: () => string;
  at(app?: string): string;
  /** Resolves with the exit code when it has ended, for whatever reason. */
  readonly ended: Promise<number | null>;
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

export interface ServerOptions {
  readonly database: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly port?: number;
  /** Put before the command line: `taskset -c 0`, `prlimit …`. */
  readonly under?: readonly string[];
  readonly uid?: number;
}

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

const WAIT_TIMEOUT_MS = 120_000;

/** Starts it and waits until it serves. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const server = await launch(options);
  const ready = async () => {
    for (const end = performance.now() + WAIT_TIMEOUT_MS; performance.now() < end; ) {
      if (server.output().includes('"event":"started"')) return 'started';
      await new Promise(resolve => setTimeout(resolve, 5));
    }
    return 'did not start in time';
  };
  const first = await Promise.race([ready(), server.ended.then(code => `ended with ${code}`)]);
  assert.equal(first, 'started', server.output());
  return server;
}

/** Starts it without waiting: it may fail to start. */
export async function launch(options: ServerOptions): Promise<ServerProcess> {
  const { database, env = {}, under = [], uid } = options;
  const port = options.port ?? (await freePort());
  const base = `http://127.0.0.1:${port}`;
  const [program = '', ...args] = [...under, process.execPath, 'src/main.ts'];
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
    env: { PATH: process.env.PATH, ...environment(database), PORT: String(port), BASE_URL: base, ...env },
  });
  children.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', chunk => {
      output += chunk;
    });
  }
  const ended = once(child, 'close').then(([code]) => {
    children.delete(child);
    return code as number | null;
  });
  return {
    port,
    base,
    pid: child.pid ?? 0,
    output: () => output,
    at: (app = 'shop') => `${base}/api/v1/authorize/${app}/oauth2`,
    ended,
    kill: signal => {
      child.kill(signal);
      return ended;
    },
  };
}

function environment(database: string): Record<string, string> {
  return { DATABASE_URL: `sqlite:${database}`, GATEHOUSE_SECRET: TEST_SECRET, GATEHOUSE_DEMO: 'false' };
}

/** A database with the application and the user of fixture.ts. */
export async function provisioned(database: string): Promise<void> {
  await (await startTestServer({ env: { DATABASE_URL: `sqlite:${database}` } })).close();
}

/** Another script of this folder as a process of its own; answers what it printed, line by line, as JSON. */
export function runScript<T>(name: string, order: unknown, under: readonly string[] = []): Promise<T[]> {
  const script = fileURLToPath(new URL(name, import.meta.url));
  const [program = '', ...args] = [...under, process.execPath, script, JSON.stringify(order)];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  let out = '';
  child.stdout.setEncoding('utf8').on('data', chunk => {
    out += chunk;
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', chunk => {
    errors += chunk;
  });
  return once(child, 'close').then(([code]) => {
    children.delete(child);
    assert.equal(code, 0, `${name} ended with ${code}: ${errors}${out}`);
    return out
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
  });
}

const canPin = availableParallelism() > 1 && spawnSync('sh', ['-c', 'command -v taskset']).status === 0;

/** Pins a process to a core, so that server and load do not compete for one; does nothing where that is not possible. */
export const onCore = (core: number): readonly string[] => (canPin ? ['taskset', '-c', String(core)] : []);

/** Resident memory in MB. */
export function residentMemory(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}
