import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { makeServerFolder, type PostgresServer, type PostgresSettings, startPostgres } from '../../scripts/postgres.ts';

/** A primary whose commits wait for its standby: what was acknowledged is on both (streaming replication). */
export interface Pair {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** Both hosts, as DATABASE_URL names them. */
  url(database: string): string;
}

const WAIT_TIMEOUT_MS = 120_000;

export async function startPair({ binaries, settings }: PostgresSettings = {}): Promise<Pair> {
  const server = { ...(binaries !== undefined && { binaries }) };
  const replicated = { wal_level: 'replica', synchronous_commit: 'on', ...settings };
  const primary = await startPostgres({ ...server, settings: replicated });
  // A copy of a server that was stopped cleanly is a server.
  await primary.stop();
  const folder = makeServerFolder();
  const copied = spawnSync('cp', ['-a', `${primary.folder}/.`, folder], { encoding: 'utf8' });
  if (copied.status !== 0) throw new Error(copied.stderr);
  writeFileSync(join(folder, 'standby.signal'), '');
  await primary.start();
  const primary_conninfo = `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`;
  const standby = await startPostgres({ ...server, folder, settings: { ...replicated, primary_conninfo } });
  await query(primary.url, "ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  primary.signal('SIGHUP');
  await untilSynchronous(primary.url);
  return {
    primary,
    standby,
    url: database => `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${database}`,
  };
}

async function untilSynchronous(url: string): Promise<void> {
  for (const deadline = performance.now() + WAIT_TIMEOUT_MS; performance.now() < deadline; await pause(50)) {
    const [row] = await query(url, 'SELECT sync_state FROM pg_stat_replication');
    if (row?.sync_state === 'sync') return;
  }
  throw new Error('the standby does not follow');
}

export async function promote(standby: PostgresServer): Promise<void> {
  const [row] = await query(standby.url, 'SELECT pg_promote(true, 20) AS promoted');
  if (row?.promoted !== true) throw new Error('the standby was not promoted');
}

export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
