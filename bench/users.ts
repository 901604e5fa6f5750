/**
 * `npm run bench:users`: how long an operator waits for a page of the list of users, and for a search, among five million of them,
 * and how many users `gatehouse import users` adds in a second (import.ts).
 * The time of a page is that of the store: on SQLite of the statement and its rows, on PostgreSQL with the way there and back. The
 * processor time beside it, of this process and of the database, is what is left of it on a machine that nobody else uses.
 */

import { loadavg } from 'node:os';
import { openStore } from '../src/assembly/open-store.ts';
import type { UserPage } from '../src/directory/users/store.ts';
import type { Store } from '../src/store.ts';
import { measureImport } from './import.ts';
import { choices, parse, positive, type StoreName, say, stores } from './options.ts';
import { databaseTime } from './processor.ts';
import { seedUsers } from './servers/many-users.ts';
import { GATEHOUSE, openPlace, type Place, storeAddress } from './servers/place.ts';

const MAX_P95_MS = 20;
const PAGE = 50;

const { values } = parse({
  options: {
    store: { type: 'string' },
    users: { type: 'string', default: '5000000' },
    calls: { type: 'string', default: '1000' },
    only: { type: 'string' },
    imported: { type: 'string', default: '200000' },
  },
});
const count = positive(values.users);
const calls = positive(values.calls);
const FIRST = { after: undefined, limit: PAGE };

/** Each kind of page, made anew for each call. */
const kinds: Readonly<Record<string, () => UserPage>> = {
  'list, first page': () => ({ prefix: undefined, after: undefined, limit: PAGE }),
  'list, any page': () => ({ prefix: undefined, after: randomName(), limit: PAGE }),
  'list, 200 on a page': () => ({ prefix: undefined, after: randomName(), limit: 200 }),
  'search, 1 to 8 characters of a name': () => ({ ...FIRST, prefix: randomName().slice(0, 1 + random(8)) }),
  'search, a whole name or e-mail address': () => ({ ...FIRST, prefix: `${randomName()}@` }),
  'search, telephone number': () => ({ ...FIRST, prefix: `+86138${String(random(count)).slice(0, 1 + random(6))}` }),
  'search, any page of a short prefix': () => {
    const name = randomName();
    return { prefix: name.slice(0, 1), after: name, limit: PAGE };
  },
  'search, any page of all telephone numbers': () => ({ prefix: '+', after: `+86138${random(count)}`, limit: PAGE }),
  'search, nothing found': () => ({ ...FIRST, prefix: `zz${random(1e6)}` }),
};

let slow = 0;
const works = choices(values.only, ['import', 'pages']);
for (const store of choices(values.store, stores)) {
  if (works.includes('import') && !(await measureImport(store, positive(values.imported)))) slow++;
  if (works.includes('pages')) await measureUsers(store);
}
process.exitCode = slow === 0 ? 0 : 1;

async function measureUsers(name: StoreName): Promise<void> {
  const place = await openPlace(name, { shared_buffers: '1GB', max_wal_size: '16GB' });
  try {
    const before = performance.now();
    await seedUsers(place, count);
    say(`${name}: ${count} users in ${Math.round((performance.now() - before) / 1000)} s`);
    const store = await openStore(storeAddress(place, GATEHOUSE), {});
    try {
      await report(name, store, processorTimeOf(place));
    } finally {
      await store.close();
    }
  } finally {
    await place.close();
  }
}

/** Seconds so far. */
function processorTimeOf({ postgres }: Place): () => number {
  return () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6 + (postgres ? (databaseTime(postgres.pid) ?? 0) : 0);
  };
}

async function report(name: StoreName, store: Store, processorTime: () => number): Promise<void> {
  const head = `${name}, ${count} users, ${calls} calls each`;
  process.stdout.write(
    `\n| ${head} | median, ms | p95 | longest | processor, mean | load |\n|---|---|---|---|---|---|\n`,
  );
  for (const [kind, page] of Object.entries(kinds)) {
    const times: number[] = [];
    const processorBefore = processorTime();
    for (let call = 0; call < calls; call++) {
      const asked = page();
      const before = performance.now();
      await store.listUsers(asked);
      times.push(performance.now() - before);
    }
    const processor = ((processorTime() - processorBefore) * 1000) / calls;
    times.sort((one, other) => one - other);
    const at = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
    if (at(0.95) > MAX_P95_MS) slow++;
    const cells = [at(0.5), at(0.95), at(1), processor].map(time => time.toFixed(2));
    process.stdout.write(`| ${kind} | ${cells.join(' | ')} | ${loadavg()[0]?.toFixed(1)} |\n`);
  }
}

function random(below: number): number {
  return Math.floor(Math.random() * below);
}

/** As the seed makes them: six hexadecimal digits, a dot and a number. */
function randomName(): string {
  return `${random(0x1000000).toString(16).padStart(6, '0')}.${random(count)}`;
}
