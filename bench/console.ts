/**
 * `npm run bench:console`: how long a page of the console takes, and how large it is compressed with its style and script, with five
 * million users and ten million events.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { formWith, type Seen, Visitor } from '../test/build/visitor.ts';
import { APP, CLIENT_ID, PASSWORD, users } from './fixture.ts';
import { choices, parse, positive, type StoreName, say, stores } from './options.ts';
import { gatehouseEnv, provisionGatehouse, startGatehouse } from './servers/gatehouse.ts';
import { seedEvents } from './servers/many-events.ts';
import { seedUsers } from './servers/many-users.ts';
import { openPlace, type Place, ROOT } from './servers/place.ts';

const MAX_MS = 100;
const MAX_BYTES = 60 * 1024;
const OPERATOR = users[0]?.username ?? '';

const { values } = parse({
  options: {
    store: { type: 'string' },
    users: { type: 'string', default: '5000000' },
    events: { type: 'string', default: '10000000' },
    calls: { type: 'string', default: '20' },
  },
});
const counts = { users: positive(values.users), events: positive(values.events) };
const calls = positive(values.calls);

const client = `/console/applications/${APP}/clients/${CLIENT_ID}`;
const hour = (ago: number) => new Date(Date.now() - ago * 3_600_000).toISOString().slice(0, 19).concat('Z');
const pages = [
  '/console',
  '/console/applications',
  '/console/applications/new',
  `/console/applications/${APP}`,
  `/console/applications/${APP}/keys`,
  client,
  `${client}/settings`,
  `${client}/secrets`,
  `${client}/try`,
  '/console/users',
  '/console/users?q=a',
  '/console/users?q=%2B86138',
  '/console/users?q=nothing-like-it',
  '/console/operators',
  '/console/api-keys',
  '/console/webhooks',
  '/console/settings',
  '/console/refusals',
  '/console/activity',
  '/console/activity?type=user.login.failed',
  `/console/activity?application=${APP}&type=user.updated`,
  `/console/activity?client=${CLIENT_ID}&from=${hour(500)}&to=${hour(499)}`,
  '/console/activity?user=u4711',
  '/console/activity?request_id=req-4711',
];

let misses = 0;
for (const store of choices(values.store, stores)) await measureConsole(store);
process.exitCode = misses === 0 ? 0 : 1;

async function measureConsole(name: StoreName): Promise<void> {
  const place = await openPlace(name, { shared_buffers: '1GB', max_wal_size: '16GB' });
  try {
    await seedUsers(place, counts.users);
    await seedEvents(place, counts.events);
    await provisionGatehouse(place, users.slice(0, 1));
    await addOperator(place);
    const server = await startGatehouse(place);
    try {
      const { port } = new URL(server.target.requests.logout?.url ?? '');
      // The default of BASE_URL, to which the server redirects.
      const origin = `http://localhost:${port}`;
      await report(name, origin, await signIn(origin));
    } finally {
      await server.stop();
    }
  } finally {
    await place.close();
  }
}

async function addOperator(place: Place): Promise<void> {
  const args = ['src/gatehouse.ts', 'operators', 'add', OPERATOR, '--role', 'owner'];
  const env = { PATH: process.env.PATH, ...gatehouseEnv(place) };
  await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
}

async function signIn(origin: string): Promise<Visitor> {
  const visitor = new Visitor(origin);
  const login = await visitor.follow(`${origin}/console`);
  await visitor.send(formWith(login, 'password'), { username: OPERATOR, password: PASSWORD });
  return visitor;
}

async function report(name: StoreName, origin: string, visitor: Visitor): Promise<void> {
  const list = await visitor.go(`${origin}/console/users`);
  const user = /href="(\/console\/users\/[0-9a-f]{22})"/.exec(list.text)?.[1];
  if (user === undefined) throw new Error('the list of users has no user');
  const head = `${name}, ${counts.users} users, ${counts.events} events`;
  process.stdout.write(`\n| ${head} | median, ms | longest | KB compressed, all in all |\n|---|---|---|---|\n`);
  for (const path of [...pages, user]) {
    const times: number[] = [];
    let seen: Seen = list;
    for (let call = 0; call < calls; call++) {
      const before = performance.now();
      seen = await visitor.go(origin + path);
      times.push(performance.now() - before);
    }
    if (seen.status !== 200) throw new Error(`${path}: ${seen.status}`);
    const bytes = await compressedSize(origin, seen);
    times.sort((one, other) => one - other);
    const [median = 0, longest = 0] = [times[times.length >> 1], times.at(-1)];
    if (median > MAX_MS || bytes > MAX_BYTES) misses++;
    process.stdout.write(`| ${path} | ${median.toFixed(1)} | ${longest.toFixed(1)} | ${(bytes / 1024).toFixed(1)} |\n`);
  }
  say(`${name}: done`);
}

/** Of the page, its stylesheets and its scripts. */
async function compressedSize(origin: string, { text }: Seen): Promise<number> {
  const assets = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => `${origin}${path}`);
  const bodies = await Promise.all(assets.map(async url => (await fetch(url)).text()));
  return [text, ...bodies].reduce((sum, body) => sum + gzipSync(body).length, 0);
}
