import type { TestContext } from 'node:test';
import { type PostgresServer, startPostgres } from '../../scripts/postgres.ts';
import { connectDatabase, type Database } from '../../src/platform/store/postgres/database.ts';
import { hostsOf } from '../../src/platform/store/postgres/database-hosts.ts';

/** A PostgreSQL of its own that is frozen after all connections to it were made. */
export async function frozenPostgres(
  t: TestContext,
  timeoutMs: number,
): Promise<{ server: PostgresServer; db: Database }> {
  const server = await startPostgres();
  const db = connectDatabase(hostsOf({ hosts: [server.url] }, timeoutMs), {});
  t.after(async () => {
    server.signal('SIGCONT');
    await db.close();
    await server.remove();
  });
  await db.connect();
  server.signal('SIGSTOP');
  return { server, db };
}
