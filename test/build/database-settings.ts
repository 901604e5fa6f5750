import { DEFAULT_TIMEOUT_MS } from '../../src/platform/store/database-timeouts.ts';
import type { PostgresAddress } from '../../src/platform/store/postgres/database-hosts.ts';
import { citusSettings, postgresAddress } from './citus.ts';

/** The way past the pooler, and the way through it. */
interface Pooled {
  readonly url: string;
  readonly direct: string | undefined;
}

/**
 * `npm run test:pgbouncer` sets TEST_PGBOUNCER_URL, a pooler in front of the server of TEST_DATABASE_URL: requests then go through it,
 * whichever of the two addresses the test has.
 */
function pooled(url: string): Pooled {
  const { TEST_PGBOUNCER_URL: pooler, TEST_DATABASE_URL: server } = process.env;
  if (!pooler || !server || ![pooler, server].some(known => new URL(known).host === hostOf(url))) {
    return { url, direct: undefined };
  }
  const { pathname } = new URL(url);
  const of = (address: string) => Object.assign(new URL(address), { pathname }).href;
  return { url: of(pooler), direct: of(server) };
}

/** Empty for a list of hosts, and for a file of SQLite. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}

/** What a server on this database needs in its environment. */
export function databaseSettings(databaseUrl: string): Record<string, string> & { readonly DATABASE_URL: string } {
  const { url, direct } = pooled(databaseUrl);
  return { DATABASE_URL: url, ...citusSettings(url), ...(direct !== undefined && { DATABASE_LISTEN_URL: direct }) };
}

/** The same for a store. */
export function storeAddress(databaseUrl: string, roleTimeoutMs = DEFAULT_TIMEOUT_MS): PostgresAddress {
  const { url, direct } = pooled(databaseUrl);
  return { ...postgresAddress(url), ...(direct !== undefined && { direct: { hosts: [direct], roleTimeoutMs } }) };
}
