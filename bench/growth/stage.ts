import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '../../scripts/postgres.ts';
import { createDatabase } from '../databases.ts';
import type { StoreName } from '../options.ts';
import { GATEHOUSE } from '../servers/gatehouse.ts';
import type { Place } from '../servers/place.ts';
import { endStatements, postgresSettings } from '../statements.ts';

/** Where the data of one measurement is, and what ends with it. */
export class Stage {
  readonly store: StoreName;
  readonly #folder = mkdtempSync(join(tmpdir(), 'gatehouse-growth-'));
  readonly #servers: PostgresServer[] = [];
  readonly #ends: (() => Promise<void> | void)[] = [];

  constructor(store: StoreName) {
    this.store = store;
  }

  /** An empty one. On PostgreSQL a server each, since each is to have the same memory and the same processes of its own. */
  async place(name: string): Promise<Place & { readonly postgres?: PostgresServer }> {
    const folder = join(this.#folder, name);
    mkdirSync(folder);
    if (this.store === 'sqlite') return { folder };
    const settings = { ...postgresSettings, max_wal_size: '16GB', shared_buffers: '1GB' };
    const postgres = await startPostgres({ settings });
    this.#servers.push(postgres);
    await createDatabase(postgres.url, GATEHOUSE);
    return { folder, postgres };
  }

  /** What is to be ended before the databases, last things first. */
  atEnd(end: () => Promise<void> | void): void {
    this.#ends.unshift(end);
  }

  async close(): Promise<void> {
    for (const end of this.#ends) await end();
    await endStatements();
    for (const server of this.#servers) await server.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
