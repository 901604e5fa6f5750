/**
 * `npm run bench:operations`: what single operations cost beside many rows or many others. Figures only: that no statement walks over a
 * table, that a request does the same for known and unknown people, and that requests are served between batches, the tests show.
 */
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteStore } from '../src/assembly/store.sqlite.ts';
import { clientAddress } from '../src/platform/http/client-address.ts';
import { createThrottle } from '../src/platform/throttle/throttle.ts';
import { fixedClock } from '../test/build/clock.ts';
import { limits } from '../test/build/limits.ts';
import { aFixture, NOW } from '../test/store/contract/given.ts';
import { aSession } from '../test/store/contract/given-sessions.ts';
import { percentile } from '../test/store/load.ts';
import { temporaryFolder } from '../test/store/temporary-folder.ts';
import { say } from './options.ts';

const CODES = 1_000_000;
const TIMES = 21;

async function timed<T>(what: string, each: readonly T[], work: (one: T) => unknown): Promise<void> {
  const durations: number[] = [];
  const before = process.cpuUsage();
  for (const one of each) {
    const startedAt = performance.now();
    await work(one);
    durations.push(performance.now() - startedAt);
  }
  const { user, system } = process.cpuUsage(before);
  const [median, slowest] = [percentile(durations, 0.5), percentile(durations, 1)];
  const processor = ((user + system) / 1000 / each.length).toFixed(2);
  process.stdout.write(`${what}: median ${median} ms, slowest ${slowest} ms, processor time ${processor} ms each\n`);
}

await besideCodes();
await longHeaders();
await fullThrottle();

/** Logout and withdrawn consent in SQLite beside a million codes. */
async function besideCodes(): Promise<void> {
  const folder = temporaryFolder(tmpdir());
  const path = folder.file('gatehouse.db');
  const store = openSqliteStore(path);
  const fixture = await aFixture(store);
  for (const [state, firstEnd] of [
    ['of which five minutes are live', NOW - 86_000],
    ['all of them live', NOW + 1],
  ] as const) {
    say(`making ${CODES} codes, ${state}…`);
    replaceCodes(path, firstEnd);
    const opened = await Promise.all(Array.from({ length: TIMES }, () => aSession(store, fixture)));
    await timed(`logout beside codes ${state}`, opened, ({ idHash }) => store.endSession({ idHash }, NOW));
    const { app, user, grant } = fixture;
    await timed(`withdrawn consent beside codes ${state}`, Array(TIMES).fill(user.sub), (sub: string) =>
      store.withdrawConsent(sub, app, grant.clientId, NOW),
    );
  }
  await store.close();
  folder.remove();
}

/** X-Forwarded-For of 48 KiB. */
async function longHeaders(): Promise<void> {
  const trusted = new BlockList();
  trusted.addSubnet('10.0.0.0', 8, 'ipv4');
  trusted.addSubnet('fd00::', 8, 'ipv6');
  for (const part of [', 10.0.0.1', ',', '1', '[', ':', ', [fd00::1]:1']) {
    const header = part.repeat((48 * 1024) / part.length);
    await timed(`X-Forwarded-For of '${part}'`, Array(100).fill(header), text =>
      clientAddress('10.0.0.1', text, trusted),
    );
  }
}

/** Guesses from ever new addresses, before and after the throttle has as many as it remembers. */
async function fullThrottle(): Promise<void> {
  const throttle = createThrottle(fixedClock(), limits({}));
  const attempts = (from: number) => Array.from({ length: 10_000 }, (_, index) => from + index);
  for (let from = 0; from < 80_000; from += 10_000)
    await timed(`attempt after ${from} others`, attempts(from), number =>
      throttle.admit({
        kind: 'login',
        name: `flood-${number}`,
        address: `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`,
      }),
    );
}

/** Codes of other people, spread evenly over a day, or over the five minutes in which all of them are live. */
function replaceCodes(path: string, firstEnd: number): void {
  const connection = new DatabaseSync(path);
  const seconds = firstEnd > NOW ? 300 : 86_300;
  connection.exec(`PRAGMA synchronous = OFF; PRAGMA busy_timeout = 10000; DELETE FROM codes;
    WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${CODES}),
      ends (n, at) AS (SELECT n, ${firstEnd} + n * ${seconds} / ${CODES} FROM numbers)
    INSERT INTO codes (app, code_hash, client_id, sub, scope, auth_time, amr, sid, redirect_uri,
      client_authentication_required, expires_at)
    SELECT 'shop', unhex(printf('%08x%08x', at, n)), 'web', 'sub-' || n, 'openid', 0, 'pwd', 'sid-' || n, '', 0, at FROM ends`);
  connection.close();
}
