/**
 * `npm run bench:users`: how long an operator waits for a page of the list of users, and for a search, among five million of them,
 * and how many users `gatehouse import users` adds in a second (import.ts).
 * The time of a page is that of the store: on SQLite of the statement and its rows, on PostgreSQL with the way there and back. The
 * processor time beside it, of this process and of the database, is what is left of it on a machine that nobody else uses.
 */

import { loadavg } from 'node:os';
import { openStore } from '../src/assembly/open-store.ts';
import { indexUsers } from '../src/directory/users/search.job.ts';
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
  'list, first page': () => ({ search: undefined, after: undefined, limit: PAGE }),
  'list, any page': () => ({ search: undefined, after: randomName(), limit: PAGE }),
  'list, 200 on a page': () => ({ search: undefined, after: randomName(), limit: 200 }),
  'search, 1 to 8 characters of a name': () => ({ ...FIRST, search: randomName().slice(0, 1 + random(8)) }),
  'search, a whole name or e-mail address': () => ({ ...FIRST, search: `${randomName()}@` }),
  'search, telephone number': () => ({ ...FIRST, search: `+86138${String(random(count)).slice(0, 1 + random(6))}` }),
  'search, any page of a short prefix': () => {
    const name = randomName();
    return { search: name.slice(0, 1), after: name, limit: PAGE };
  },
  'search, any page of all telephone numbers': () => ({ search: '+', after: `+86138${random(count)}`, limit: PAGE }),
  'search, nothing found': () => ({ ...FIRST, search: `zz${random(1e6)}` }),
  'search, 3 characters from a name': () => ({ ...FIRST, search: part(3) }),
  'search, 4 to 8 characters from a name': () => ({ ...FIRST, search: part(4 + random(5)) }),
  'search, 5 digits from a telephone number': () => ({ ...FIRST, search: String(10_000 + random(90_000)) }),
  'search, a family name, and with three digits': () => ({
    ...FIRST,
    search: random(2) ? 'papadopoulos' : `müller ${random(4096).toString(16).padStart(3, '0')}`,
  }),
  'search, one and two Chinese characters': () => ({ ...FIRST, search: ['李', '芳', '明', '明 王'][random(4)] }),
  'search, a part that all have': () => ({ ...FIRST, search: ['example', 'com', '@exa', '861'][random(4)] }),
  'search, a part that all have, any page': () => ({
    search: 'xample',
    after: `p${random(count)}`,
    limit: PAGE,
  }),
  'search, no part, of grams that all have': () => ({ ...FIRST, search: 'exampleexample' }),
  'search, a part that nobody has': () => ({ ...FIRST, search: `${part(3)}zzz` }),
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
      await index(name, store, processorTimeOf(place));
      await report(name, store, processorTimeOf(place));
    } finally {
      await store.close();
    }
  } finally {
    await place.close();
  }
}

/** What the job of the server does after the start with a database from before the index, or after an import. */
async function index(name: StoreName, store: Store, processorTime: () => number): Promise<void> {
  const [before, processorBefore] = [performance.now(), processorTime()];
  await indexUsers({ store, clock: { now: () => Math.floor(Date.now() / 1000) } }, () => false);
  const seconds = Math.round((performance.now() - before) / 1000);
  const processor = (((processorTime() - processorBefore) * 1e6) / count).toFixed(0);
  say(`${name}: the index of the search in ${seconds} s, ${processor} µs of processor time for a user`);
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

/** Of the user name, from its second character on. */
function part(length: number): string {
  return randomName().slice(1, 1 + length);
}

/** As the seed makes them: six hexadecimal digits, a dot and a number. */
function randomName(): string {
  return `${random(0x1000000).toString(16).padStart(6, '0')}.${random(count)}`;
}
