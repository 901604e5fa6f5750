import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DatabaseAddress, parseDatabaseAddress } from '../../src/config.ts';
import type { Target, ValueFiles } from '../fixture.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Started {
  readonly target: Target;
  /** From the start of the process to its first answer. */
  readonly milliseconds: number;
  readonly stop: () => Promise<void>;
}

/** Where servers keep their data: files in `folder`, and where there is a PostgreSQL, in databases of their own there. */
export interface Place {
  readonly folder: string;
  readonly postgres?: { readonly url: string; readonly pid: number };
}

/** The address of a database of that name. */
export function databaseUrl(postgres: { readonly url: string }, name: string): string {
  return Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href;
}

export function sqliteFile({ folder }: Place, name: string): string {
  return join(folder, `${name}.db`);
}

/** The store of that name, as DATABASE_URL has it. */
export function storeUrl(place: Place, name: string): string {
  return place.postgres ? databaseUrl(place.postgres, name) : `sqlite:${sqliteFile(place, name)}`;
}

export function storeAddress(place: Place, name: string): DatabaseAddress {
  const address = parseDatabaseAddress(storeUrl(place, name));
  if (!address) throw new Error(`${storeUrl(place, name)} is no address of a store`);
  return address;
}

/** What load.ts needs to know of the database behind a server. */
export function databaseOf({ postgres }: Place, name: string): Pick<Target, 'database'> {
  return postgres ? { database: { pid: postgres.pid, url: databaseUrl(postgres, name) } } : {};
}

export function valueFiles(folder: string, name: string): ValueFiles {
  return {
    access: join(folder, `${name}-access.txt`),
    refresh: join(folder, `${name}-refresh.txt`),
    codes: join(folder, `${name}-codes.txt`),
    sessions: join(folder, `${name}-sessions.txt`),
  };
}
