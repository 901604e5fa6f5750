/** A real PgBouncer for tests: as it is installed, or (as root on Debian) from the package. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort, identity } from './postgres.ts';

export type Pgbouncer =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly advice: string };

const PROGRAM = '/usr/sbin/pgbouncer';
const PACKAGE = 'pgbouncer';
const PATIENCE_MS = 20_000;

export function ensurePgbouncer(): Pgbouncer {
  if (!existsSync(PROGRAM) && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    process.stdout.write(`Installing PgBouncer for the tests (apt-get install ${PACKAGE}) …\n`);
    aptGet('update', '-qq');
    aptGet('install', '-y', '-qq', '--no-install-recommends', PACKAGE);
  }
  if (existsSync(PROGRAM)) return { kind: 'found', path: PROGRAM };
  return {
    kind: 'missing',
    advice: `The tests behind PgBouncer need it (Debian, Ubuntu: apt-get install ${PACKAGE}).`,
  };
}

function aptGet(...args: string[]): void {
  spawnSync('apt-get', args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    // In runlevel 1 the package does not start the service it brings.
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
  });
}

export interface RunningPgbouncer {
  /** The address of the same database, through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** On loopback, in front of this database. It refuses to run as root, like the server behind it. */
export async function startPgbouncer(
  database: string,
  settings: Readonly<Record<string, string>>,
): Promise<RunningPgbouncer> {
  const { hostname, port: serverPort, pathname, username } = new URL(database);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pgbouncer-'));
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid);
  const file = join(folder, 'pgbouncer.ini');
  const log = join(folder, 'log');
  const options = { listen_addr: '127.0.0.1', listen_port: String(port), auth_type: 'any', logfile: log, ...settings };
  writeFileSync(
    file,
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${serverPort} user=${username}
[pgbouncer]
unix_socket_dir =
${Object.entries(options)
  .map(([name, value]) => `${name} = ${value}\n`)
  .join('')}`,
  );
  const child = spawn(PROGRAM, [file], { ...identity, stdio: 'ignore' });
  running.add(child);
  const ended = once(child, 'exit').then(() => running.delete(child));
  const url = Object.assign(new URL(database), { port: String(port) }).href;
  await untilReady(url, child, () => readFileSync(log, 'utf8'));
  return {
    url,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
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
