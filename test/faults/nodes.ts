import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/free-port.ts';
import { databaseSettings } from '../build/database-settings.ts';
import { TEST_SECRET } from '../build/test-server.ts';

/**
 * test/faults/ runs real server processes and breaks something: kill -9 of nodes and databases, a lost answer, a full disk, a wrong
 * clock, an overload, slow clients. This file starts nodes on one PostgreSQL; server-process.ts starts a single server.
 * load.ts has the clients that go on meanwhile, load-outcomes.ts what they must and must not be answered.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WAIT_TIMEOUT_MS = 120_000;
/** Shorter than the default, so that a fault of a few seconds is long. */
export const DATABASE_TIMEOUT_MS = 1000;
/** For tests that are not about a slow database: a busy machine may take long. */
export const PATIENT = { DATABASE_TIMEOUT: '60' };
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A Gatehouse node: a process of its own that can be killed, frozen and started again on the same port. */
export interface NodeProcess {
  /** Its own address; links and issuer are those of the cluster. */
  readonly url: string;
  /** Everything it printed since it was first started. */
  output(): string;
  signal(signal: NodeJS.Signals): void;
  /** SIGKILL, as in a crash; resolves when the process has ended. */
  kill(): Promise<void>;
  /** After `kill`. */
  start(): Promise<void>;
  /** SIGTERM, as a supervisor sends it; resolves to the exit code. */
  stop(): Promise<number | null>;
}

export interface Settings {
  readonly databaseUrl: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Modules to load before everything else. */
  readonly preload?: readonly string[];
}

export async function startNode(settings: Settings, port: number, base: string): Promise<NodeProcess> {
  const node = describeNode(settings, port, base);
  await node.start();
  return node;
}

function describeNode(settings: Settings, port: number, base: string): NodeProcess {
  let output = '';
  let child: ChildProcess;
  let ended: Promise<number | null>;
  const end = (signal: NodeJS.Signals) => {
    child.ref();
    child.kill(signal);
    return ended;
  };
  const start = async () => {
    const imports = (settings.preload ?? []).flatMap(path => ['--import', path]);
    child = spawn(process.execPath, [...imports, 'src/main.ts'], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment(settings, port, base),
    });
    running.add(child);
    // A test that fails before it stops its nodes must not wait for them.
    child.unref();
    const began = output.length;
    for (const stream of [child.stdout, child.stderr] as (Socket | null)[]) {
      stream
        ?.unref()
        .setEncoding('utf8')
        .on('data', part => {
          output += part;
        });
    }
    const own = child;
    ended = once(child, 'exit').then(([code]) => {
      running.delete(own);
      return code as number | null;
    });
    await untilListening(port, () => {
      if (own.exitCode !== null) throw new Error(`the node ended with ${own.exitCode}:\n${output.slice(began)}`);
    });
  };
  return {
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    signal: signal => void child.kill(signal),
    start,
    kill: async () => {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
  };
}

function environment({ databaseUrl, env }: Settings, port: number, base: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    PORT: String(port),
    BASE_URL: base,
    ...databaseSettings(databaseUrl),
    GATEHOUSE_SECRET: TEST_SECRET,
    DATABASE_TIMEOUT: String(DATABASE_TIMEOUT_MS / 1000),
    GATEHOUSE_DEMO: 'false',
    LOG_LEVEL: 'warn',
    ...env,
  };
}

/** Nodes on one database with one public address. It is that of the first node; requests go to the nodes directly. */
export interface Cluster {
  readonly base: string;
  readonly nodes: readonly NodeProcess[];
  stop(): Promise<void>;
}

export async function startCluster(settings: Settings, count = 3): Promise<Cluster> {
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const base = `http://127.0.0.1:${ports[0]}`;
  const nodes = await Promise.all(ports.map(port => startNode(settings, port, base)));
  return {
    base,
    nodes,
    stop: async () => {
      await Promise.all(nodes.map(node => node.kill()));
    },
  };
}

async function untilListening(port: number, check: () => void): Promise<void> {
  for (const deadline = performance.now() + WAIT_TIMEOUT_MS; performance.now() < deadline; await pause(20)) {
    check();
    if (await isListening(port)) return;
  }
  throw new Error('the node did not start in time');
}

function isListening(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).once('error', () => resolve(false));
  });
}
