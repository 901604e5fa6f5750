import { lookedUp } from '../../platform/store/postgres/statement.ts';
import type { Row } from '../../platform/store/row.ts';
import { among, listed, perStore, type Query, sql } from '../../platform/store/sql.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import { selectUsers, userColumns, withPrefix } from './list.queries.ts';
import { loginNamesOf } from './login-name.rules.ts';
import { toUser } from './rows.store.ts';
import { gramsOfTerm, isFound, termOf } from './search.rules.ts';
import { placesInAll, SEGMENT, segmentOf } from './search-places.rules.ts';
import type { User, UserListing, UserPage } from './store.ts';

/**
 * First those with a login name that begins with the term, by the index of login names; then all others with a field that contains it, by the
 * index of grams (search-index.queries.ts) in the order in which they came into it, and at last those that are not in it yet.
 */
export async function searchUsers(db: ColdDatabase, search: string, { after, limit }: UserPage): Promise<UserListing> {
  const from = toCursor(after);
  const term = termOf(search);
  const isOther = (user: User) => isFound(user, term) && !loginNamesOf(user).some(name => name.startsWith(search));
  const found: Found[] = [];
  let goOn: string | undefined;
  if (from.by === 'name') {
    const rows = await db.read(withPrefix(search, from.key, limit + 1));
    found.push(...rows.map(row => ({ user: toUser(row), cursor: `n${row.place}` })));
  }
  const grams = gramsOfTerm(term);
  const asked = { db, grams, isOther, wanted: () => limit + 1 - found.length };
  if (grams.length > 0 && asked.wanted() > 0 && from.by !== 'waiting') {
    const part = await byGrams(asked, from.by === 'part' ? Number(from.key) : -1);
    found.push(...part.found);
    goOn = part.goOn;
  }
  if (grams.length > 0 && asked.wanted() > 0 && goOn === undefined) {
    found.push(...(await amongWaiting(asked, from.by === 'waiting' ? from.key : '')));
  }
  const users = found.slice(0, limit).map(({ user }) => user);
  return { users, next: found.length > limit ? found[limit - 1]?.cursor : goOn };
}

interface Found {
  readonly user: User;
  readonly cursor: string;
}

interface Asked {
  readonly db: ColdDatabase;
  readonly grams: readonly string[];
  isOther(user: User): boolean;
  wanted(): number;
}

type Cursor =
  | { readonly by: 'name'; readonly key: string | undefined }
  | { readonly by: 'part' | 'waiting'; readonly key: string };

/** What no page has handed out begins at the beginning. */
function toCursor(after = ''): Cursor {
  const key = after.slice(1);
  if (after.startsWith('w')) return { by: 'waiting', key };
  if (/^p\d{1,15}$/.test(after)) return { by: 'part', key };
  return { by: 'name', key: after.startsWith('n') ? key : undefined };
}

/** Candidates of one page. A term whose grams are everywhere and which is nowhere goes on with the next page. */
const MAX_CANDIDATES = 500;
const CANDIDATES_AT_ONCE = 100;
/** So many segments of the index at once: a frequent term fills its page from the first, a rare one reads all in three statements. */
const WAVES = [1, 16, 512];
/** Of a long term, as many grams, from everywhere in it. */
const MAX_GRAMS = 8;

async function byGrams({ db, grams, isOther, wanted }: Asked, after: number) {
  const found: Found[] = [];
  const few = someOf(grams);
  const [index] = await db.read(sql`SELECT next_place FROM user_search`);
  const end = Number(index?.next_place ?? 0);
  let checked = 0;
  let segment = segmentOf(after + 1);
  for (let wave = 0; segment * SEGMENT < end; wave++) {
    const until = segment + (WAVES[Math.min(wave, WAVES.length - 1)] as number);
    const candidates = toCandidates(await db.read(rarestOf(few, segment, until))).filter(place => place > after);
    for (let at = 0; at < candidates.length; at += CANDIDATES_AT_ONCE) {
      const some = candidates.slice(at, at + CANDIDATES_AT_ONCE);
      for (const row of await db.read(usersAt(some))) {
        const user = toUser(row);
        if (isOther(user)) found.push({ user, cursor: `p${row.place}` });
      }
      if (found.length >= wanted()) return { found };
      checked += some.length;
      if (checked >= MAX_CANDIDATES) return { found, goOn: `p${some.at(-1)}` };
    }
    segment = until;
  }
  return { found };
}

function someOf(grams: readonly string[]): readonly string[] {
  if (grams.length <= MAX_GRAMS) return grams;
  const step = (grams.length - 1) / (MAX_GRAMS - 1);
  return Array.from({ length: MAX_GRAMS }, (_, number) => grams[Math.round(number * step)] as string);
}

/** In each segment that has all of the grams, those two that the fewest users have; of the others no byte is read. */
function rarestOf(grams: readonly string[], from: number, until: number): Query {
  return sql`WITH found AS (
      SELECT gram, segment, row_number() OVER (PARTITION BY segment ORDER BY length(ordinals), gram) AS rarity,
        count(*) OVER (PARTITION BY segment) AS grams
      FROM user_grams WHERE gram ${among(grams)} AND segment >= ${from} AND segment < ${until})
    SELECT g.segment, g.ordinals FROM found f JOIN user_grams g ON g.gram = f.gram AND g.segment = f.segment
    WHERE f.grams = ${grams.length} AND f.rarity <= 2 ORDER BY g.segment`;
}

function toCandidates(rows: readonly Row[]): readonly number[] {
  const bySegment = Map.groupBy(rows, ({ segment }) => Number(segment));
  return [...bySegment].flatMap(([segment, lists]) =>
    placesInAll(
      segment,
      lists.map(({ ordinals }) => ordinals as Uint8Array),
    ),
  );
}

const userAtPlace = perStore(
  'user_places p ON p.place = c.place JOIN users u ON u.sub = p.sub',
  `${lookedUp('SELECT sub, place FROM user_places WHERE place = c.place')} AS p ON true
    JOIN ${lookedUp('SELECT * FROM users WHERE sub = p.sub')} AS u ON true`,
);

/** Who had a place and has another one now is found there. */
function usersAt(places: readonly number[]): Query {
  return sql`SELECT ${userColumns}, p.place FROM (SELECT CAST(value AS bigint) AS place FROM ${listed(places.map(String))}) AS c
    JOIN ${userAtPlace} ORDER BY p.place`;
}

/** While an import is under way there are more. Their login names are found by their beginning meanwhile. */
const MAX_WAITING = 500;

async function amongWaiting({ db, isOther, wanted }: Asked, after: string): Promise<Found[]> {
  const waiting = sql`SELECT sub FROM user_places WHERE place IS NULL AND sub > ${after} ORDER BY sub LIMIT ${MAX_WAITING}`;
  const rows = await db.read(sql`${selectUsers(sql`u.sub IN (${waiting})`)} ORDER BY u.sub`);
  const found = rows.map(toUser).filter(isOther);
  return found.slice(0, wanted()).map(user => ({ user, cursor: `w${user.sub}` }));
}
