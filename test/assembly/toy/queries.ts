import { sql } from '../../../src/platform/store/sql.ts';
import type { ColdDatabase } from '../../../src/platform/store/steps.ts';
import type { Guests } from './store.ts';

export function coldGuests(db: ColdDatabase) {
  return {
    add: (id: string, name: string, leavesAt: number) =>
      db.write(sql`INSERT INTO guests (id, name, leaves_at) VALUES (${id}, ${name}, ${leavesAt})`),
    names: async () => (await db.read(sql`SELECT name FROM guests ORDER BY name`)).map(row => String(row.name)),
    clear: () => db.write(sql`DELETE FROM guests`),
  };
}

export function coldGuestCount(db: ColdDatabase): Guests {
  return { countGuests: async () => Number((await db.read(sql`SELECT count(*) AS guests FROM guests`))[0]?.guests) };
}
