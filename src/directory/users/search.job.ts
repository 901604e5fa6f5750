import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import { runAll } from '../../platform/store/steps.ts';
import type { Services } from '../../services.ts';
import { gramsOf, markOf, searchableText } from './search.rules.ts';
import {
  forgetDeleted,
  type Indexed,
  keepLists,
  keepTurn,
  noteUsers,
  type Progress,
  recordWalk,
  settle,
  takeStaleSegment,
  takeTurn,
  usersFrom,
  usersOfSegment,
  vacate,
  waitingUsers,
  writeLists,
} from './search-index.queries.ts';
import { SEGMENT, segmentOf } from './search-places.rules.ts';

/** A process that dies gives its turn away so late. */
const TURN_SECONDS = 120;
/** Requests come before: between two steps there is a pause. */
const PAUSE_MS = 20;
/** Fewer wait until there are more: a search looks at each of them. */
const FEWEST = 64;
const USERS_AT_ONCE = 512;
/** The more of them are added to a list by one write, the fewer writes: half of a segment, 15 MB while it lasts. */
const MOST = SEGMENT / 2;
/** Without a look at the requests that wait. */
const USERS_IN_A_ROW = 100;

/**
 * How often all users are looked at. It finds those whom a release without this index wrote, and those of a database from before it.
 * A list that names somebody who is deleted, or called otherwise now, is written anew after the same time.
 */
const DAY_SECONDS = 86_400;

/** Keeps the index of the search for users: gives a place to those who wait for one. */
export async function indexUsers(
  { store: { cold: db }, clock }: Pick<Services, 'store' | 'clock'>,
  isStopped: () => boolean,
): Promise<void> {
  const until = () => clock.now() + TURN_SECONDS;
  let progress = await takeTurn(db, clock.now(), until());
  if (progress === undefined) return;
  try {
    while (!isStopped() && (await step(db, progress, clock.now()))) {
      await pause(PAUSE_MS);
      progress = await keepTurn(db, until());
    }
  } finally {
    await keepTurn(db, 0);
  }
}

/** False: nothing is left to do. */
async function step(db: ColdDatabase, progress: Progress, now: number): Promise<boolean> {
  return (await walk(db, progress, now)) || (await indexWaiting(db, progress)) || (await renew(db, progress, now));
}

async function indexWaiting(db: ColdDatabase, progress: Progress): Promise<boolean> {
  const { nextPlace } = progress;
  const segment = segmentOf(nextPlace);
  const users = await thoseWaiting(db, Math.min(MOST, (segment + 1) * SEGMENT - nextPlace));
  if (users.length === 0) return false;
  const lists = new Map<string, number[]>();
  await addTo(
    lists,
    users.map((user, index) => [user, nextPlace + index - segment * SEGMENT]),
  );
  if (!(await writeLists(db, progress, segment, lists))) return true;
  for (let at = 0; at < users.length; at += USERS_AT_ONCE) {
    if (!(await settle(db, { nextPlace: nextPlace + at }, users.slice(at, at + USERS_AT_ONCE)))) break;
  }
  return true;
}

/** None, where they are too few. */
async function thoseWaiting(db: ColdDatabase, most: number): Promise<readonly Indexed[]> {
  const users: Indexed[] = [];
  while (users.length < most) {
    const limit = Math.min(USERS_AT_ONCE, most - users.length);
    const some = await waitingUsers(db, users.at(-1)?.sub ?? '', limit);
    users.push(...some);
    if (some.length < limit) return users.length < FEWEST ? [] : users;
  }
  return users;
}

async function addTo(lists: Map<string, number[]>, users: readonly (readonly [Indexed, number])[]): Promise<void> {
  for (const [index, [user, ordinal]] of users.entries()) {
    for (const gram of gramsOf(searchableText(user))) {
      const list = lists.get(gram);
      if (list) list.push(ordinal);
      else lists.set(gram, [ordinal]);
    }
    if (index % USERS_IN_A_ROW === USERS_IN_A_ROW - 1) await setImmediate();
  }
}

async function walk(db: ColdDatabase, { walkedTo, walkEndedAt }: Progress, now: number): Promise<boolean> {
  if (walkedTo === undefined && walkEndedAt + DAY_SECONDS > now) return false;
  const after = walkedTo ?? '';
  const users = await usersFrom(db, after, USERS_AT_ONCE);
  const last = users.length < USERS_AT_ONCE ? undefined : users.at(-1)?.sub;
  const unnoted = users.filter(user => user.mark !== markOf(searchableText(user)));
  await db.transaction(() => runAll(noteUsers(unnoted, now)));
  await forgetDeleted(db, after, last, now);
  await recordWalk(db, last, last === undefined ? now : walkEndedAt);
  return true;
}

/** Writes the lists of a segment anew, without those who left it. */
async function renew(db: ColdDatabase, progress: Progress, now: number): Promise<boolean> {
  const segment = await takeStaleSegment(db, now - DAY_SECONDS);
  if (segment === undefined) return false;
  const lists = new Map<string, number[]>();
  let users = 0;
  for (let after = segment * SEGMENT - 1; ; ) {
    const some = await usersOfSegment(db, segment, after, USERS_AT_ONCE);
    await addTo(
      lists,
      some.map(user => [user, (user.place as number) - segment * SEGMENT]),
    );
    users += some.length;
    after = some.at(-1)?.place ?? after;
    if (some.length < USERS_AT_ONCE) break;
  }
  if (users < SEGMENT / 4 && segment < segmentOf(progress.nextPlace)) {
    await vacate(db, segment);
    lists.clear();
  }
  if (await writeLists(db, progress, segment, lists, { instead: true })) await keepLists(db, progress, segment, lists);
  return true;
}
