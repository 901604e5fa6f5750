/** A real PgBouncer for tests; pgbouncer-program.ts finds its program. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from './free-port.ts';
import { identity } from './postgres.ts';

const PATIENCE_MS = 120_000;

export interface RunningPgbouncer {
  /** The address of the same database, through the pooler. */
  readonly url: string;
  /** SIGKILL, as in a crash. */
  kill(): Promise<void>;
  /** After `kill`, on the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface PgbouncerOptions {
  /** Of this release, and not that of Debian's package. */
  readonly program: string;
  /** Settings of pgbouncer.ini. */
  readonly settings: Readonly<Record<string, string>>;
  /** In front of every database of the server, not only of the one in the address. */
  readonly everyDatabase?: boolean;
  /** Further parameters of the connections to the database. */
  readonly connection?: string | undefined;
}

/** On loopback, in front of this database. It refuses to run as root, like the server behind it. */
export async function startPgbouncer(database: string, options: PgbouncerOptions): Promise<RunningPgbouncer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pgbouncer-'));
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid);
  // A copy, because its own user may not enter every folder.
  const program = join(folder, 'pgbouncer');
  copyFileSync(options.program, program);
  const file = join(folder, 'pgbouncer.ini');
  const log = join(folder, 'log');
  writeFileSync(file, configuration(database, options, { listen_port: String(port), logfile: log }));
  const url = Object.assign(new URL(database), { port: String(port) }).href;
  let child: ChildProcess;
  let ended: Promise<unknown>;
  const start = async () => {
    const own = spawn(program, [file], { ...identity, stdio: 'ignore' });
    child = own;
    running.add(own);
    own.unref();
    ended = once(own, 'exit').then(() => running.delete(own));
    await untilReady(url, own, () => readFileSync(log, 'utf8'));
  };
  const kill = async () => {
    child.ref();
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  return {
    url,
    start,
    kill,
    stop: async () => {
      if (running.has(child)) await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(
  database: string,
  { settings, everyDatabase, connection = '' }: PgbouncerOptions,
  own: Readonly<Record<string, string>>,
): string {
  const { hostname, port, pathname, username } = new URL(database);
  const all = { listen_addr: '127.0.0.1', auth_type: 'any', ...own, ...settings };
  return `[databases]
${everyDatabase ? '*' : pathname.slice(1)} = host=${hostname} port=${port} user=${username} ${connection}
[pgbouncer]
unix_socket_dir =
${Object.entries(all)
  .map(([name, value]) => `${name} = ${value}\n`)
  .join('')}`;
}

async function untilReady(url: string, child: ChildProcess, complaints: () => string): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await pause(25)) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended:\n${complaints()}`);
    const client = new Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      // Not yet.
    }
  }
  throw new Error(`PgBouncer did not start in time:\n${complaints()}`);
}
