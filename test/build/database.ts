import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import type { House } from './house.ts';

/**
 * Whether anything was committed between two looks, by whomever and to whichever table: SQLite counts the commits of
 * other connections for every connection that is open (PRAGMA data_version).
 */
export function watchWrites(house: House): { written(): boolean; close(): void } {
  const { database: address } = house.services.config;
  assert(address.kind === 'sqlite');
  const database = new DatabaseSync(address.path, { readOnly: true });
  const look = () => Number(database.prepare('PRAGMA data_version').get()?.data_version);
  let last = look();
  return {
    written() {
      const before = last;
      last = look();
      return last !== before;
    },
    close: () => database.close(),
  };
}
