/**
 * `npm run bench:spread`: what operations of the store cost for an application that is spread over parts of a Citus cluster with two
 * workers, beside one that is not, in alternating rounds on the same cluster. First one after the other, then many at once. The whole
 * cluster is on this machine: this shows the price of the parts, not what further workers gain.
 */
import { findCitus } from '../scripts/citus.ts';
import { openStore } from '../src/assembly/open-store.ts';
import { keyOf, newCredential } from '../src/platform/crypto/credential.ts';
import { systemRandom } from '../src/platform/crypto/random.ts';
import type { Store } from '../src/store.ts';
import { ACCESS_TOKEN_TTL, APP, CLIENT_ID, REFRESH_TOKEN_TTL, users } from './fixture.ts';
import { type Issued, issue } from './issued.ts';
import { median } from './measure.ts';
import { parse, positive, say } from './options.ts';
import { databaseTime } from './processor.ts';
import { provisionGatehouse } from './servers/gatehouse.ts';
import { GATEHOUSE, openCitusPlace, type Place, storeAddress } from './servers/place.ts';

const { values } = parse({
  options: {
    parts: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '5' },
    /** Of each operation in a round. */
    count: { type: 'string', default: '100' },
    atOnce: { type: 'string', default: '64' },
  },
});
const plan = { rounds: positive(values.rounds), count: positive(values.count), atOnce: positive(values.atOnce) };
const parts = positive(values.parts);
const citus = findCitus();
if (citus.kind === 'missing') {
  process.stderr.write(`${citus.advice}\n`);
  process.exit(69);
}
const now = Math.floor(Date.now() / 1000);

const operations: Readonly<Record<string, (store: Store, issued: Issued) => Promise<unknown>>> = {
  'introspection of an access token': (store, { access }) => store.findAccessToken(APP, access.hash, now),
  'refresh, with rotation': rotate,
  'revocation of an access token': (store, { access }) => store.revokeAccessToken(APP, access.hash, CLIENT_ID),
  'revocation of a refresh token': (store, { refresh }) => store.revokeRefreshToken(APP, refresh.hash, CLIENT_ID, now),
  'withdrawal of a consent': (store, { family }) => store.withdrawConsent(family.sub, APP, CLIENT_ID, now),
  logout: (store, { session }) => store.endSession({ idHash: session }, now),
};
type Figures = Map<string, { readonly ms: number[]; readonly cpu: number[] }>;

const place = await openCitusPlace(2, 32, { fsync: 'off' });
try {
  await provisionGatehouse(
    place,
    users.map(({ password: _, ...user }) => user),
  );
  const store = await openStore(storeAddress(place, GATEHOUSE), { timeoutMs: 30_000 });
  try {
    await measureAll(store);
  } finally {
    await store.close();
  }
} finally {
  await place.close();
}

async function measureAll(store: Store): Promise<void> {
  const [sequential, parallel]: [Figures, Figures] = [new Map(), new Map()];
  for (let round = 0; round <= plan.rounds; round++) {
    say(round === 0 ? 'warm-up…' : `round ${round} of ${plan.rounds}…`);
    for (const name of Object.keys(operations)) {
      for (const spread of round % 2 === 0 ? [true, false] : [false, true]) {
        await measure(store, sequential, { name, spread, atOnce: 1, count: plan.count / 4, isWarmUp: round === 0 });
        await measure(store, parallel, { name, spread, atOnce: plan.atOnce, count: plan.count, isWarmUp: round === 0 });
      }
    }
  }
  report('one after the other', sequential);
  report(`${plan.atOnce} at once`, parallel);
}

interface Run {
  readonly name: string;
  readonly spread: boolean;
  readonly atOnce: number;
  readonly count: number;
  readonly isWarmUp: boolean;
}

async function measure(store: Store, figures: Figures, { name, spread, atOnce, count, isWarmUp }: Run): Promise<void> {
  const issued: Issued[] = [];
  for (let number = 0; number < count; number += 1)
    issued.push(await issue(store, number, spread ? number % parts : undefined));
  const operation = operations[name] as (store: Store, issued: Issued) => Promise<unknown>;
  const [cpu, started] = [clusterTime(place), performance.now()];
  const next = issued.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const one of next) await operation(store, one);
    }),
  );
  const [ms, used] = [performance.now() - started, clusterTime(place) - cpu];
  if (isWarmUp) return;
  const key = `${name} ${spread}`;
  const found = figures.get(key) ?? { ms: [], cpu: [] };
  figures.set(key, found);
  found.ms.push(ms / count);
  found.cpu.push((used / count) * 1e3);
}

/** Seconds of all servers of the cluster. */
function clusterTime({ postgres }: Place): number {
  const pids = postgres ? [postgres.pid, ...(postgres.workerPids ?? [])] : [];
  return pids.reduce((sum, pid) => sum + (databaseTime(pid) ?? 0), 0);
}

async function rotate(store: Store, { refresh, part }: Issued): Promise<void> {
  const expiresAt = now + REFRESH_TOKEN_TTL;
  const outcome = await store.rotateRefreshToken(APP, {
    tokenHash: refresh.hash,
    presented: { clientId: CLIENT_ID, scope: undefined, rotation: true, grace: 0, familyTtl: 10 * REFRESH_TOKEN_TTL },
    issuedAt: now,
    access: { hash: keyOf(newCredential('access', now + ACCESS_TOKEN_TTL, systemRandom, part)), expiresAt },
    successors: [keyOf(newCredential('refresh', expiresAt, systemRandom, part))],
    successorExpiresAt: expiresAt,
  });
  if (outcome.kind !== 'rotated') throw new Error(`a refresh token was not rotated: ${outcome.kind}`);
}

function report(how: string, figures: Figures): void {
  const lines = Object.keys(operations).map(name => {
    const of = (spread: boolean) => figures.get(`${name} ${spread}`) ?? { ms: [], cpu: [] };
    const [whole, inParts] = [of(false), of(true)];
    const cells = [whole.ms, inParts.ms, whole.cpu, inParts.cpu].map(all => median(all).toFixed(2));
    return `| ${name} | ${cells.join(' | ')} |`;
  });
  const head = `| ${how} | ms, whole | ms, ${parts} parts | ms of the processors, whole | ${parts} parts |`;
  process.stdout.write(`\n${[head, '|---|---|---|---|---|', ...lines].join('\n')}\n`);
}
