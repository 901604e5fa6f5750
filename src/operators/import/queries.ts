import { recordEvent } from '../../audit/events/queries.ts';
import {
  AttributeNotDefined,
  refuseUndefinedAttributes,
  undefinedAmong,
} from '../../directory/user-attributes/defined.queries.ts';
import { writeUsers } from '../../directory/users/changes.queries.ts';
import type { Profile } from '../../directory/users/claims.rules.ts';
import { insertUsers } from '../../directory/users/insert.queries.ts';
import { selectUsers } from '../../directory/users/list.queries.ts';
import { loginName, loginNamesOf } from '../../directory/users/login-name.rules.ts';
import { LoginNameTaken } from '../../directory/users/login-names.queries.ts';
import { fromMembership, fromStandardClaims, toUser } from '../../directory/users/rows.store.ts';
import type { Account, ImportEntry, ImportOutcome, User, UserAdministration } from '../../directory/users/store.ts';
import { linkJudge } from '../../people/linking/records.queries.ts';
import type { LinkKey } from '../../people/linking/rules.ts';
import { passkeyOwners } from '../../people/passkey/records.queries.ts';
import type { PasskeyRecord } from '../../people/passkey/store.ts';
import { changeProfile } from '../../people/profile/rules.ts';
import { among, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, KeyTaken, type OwnSteps, rowsOf, type Steps } from '../../platform/store/steps.ts';
import { ownerNames } from '../roles/last-owner.queries.ts';

type Import = Pick<UserAdministration, 'importUsers' | 'checkImport'>;
type ImportEvent = Parameters<Import['importUsers']>[1];

const MAX_ATTEMPTS = 3;

/** Users in bulk: a batch needs few statements, however many users it has. */
export function coldImport(db: ColdDatabase): Import {
  /** Whether the batch before had new users only, as nearly all have until a run is repeated. */
  let expectsNew = true;
  const addAll = async (entries: readonly ImportEntry[], event: ImportEvent) => {
    try {
      return await db.longTransaction(() => addEntries(db.own, entries, event));
    } catch (error) {
      if (error instanceof KeyTaken || error instanceof AttributeNotDefined) return undefined;
      throw error;
    }
  };
  return {
    importUsers: async (entries, event) => {
      const isPlain = entries.every(({ account }) => account.links === undefined);
      const added = expectsNew && isPlain ? await addAll(entries, event) : undefined;
      const outcomes = added ?? (await writeJudged(db, entries, event));
      expectsNew = outcomes.every(({ kind }) => kind === 'created');
      return outcomes;
    },
    checkImport: entries =>
      db.longTransaction(function* () {
        return (yield* judge(entries)).map(({ outcome }) => outcome);
      }),
  };
}

/**
 * Without a look at who exists: an entry for a user that exists has that user's sub or one of the names, so `KeyTaken` rolls all of
 * them back. So does a value of an attribute that was deleted meanwhile.
 */
function* addEntries(
  own: OwnSteps,
  entries: readonly ImportEntry[],
  event: ImportEvent,
): Steps<readonly ImportOutcome[]> {
  if (entries.length > 0) {
    yield* insertUsers(
      own,
      entries.map(({ account }) => ({ account, names: loginNamesOf(account) })),
    );
    yield* refuseUndefinedAttributes(entries.flatMap(({ account }) => attributesOfNew(account)));
    yield* rowsOf(recordEvent(event({ created: entries.length, updated: 0 })));
  }
  return entries.map(() => CREATED);
}

const CREATED: ImportOutcome = { kind: 'created' };

async function writeJudged(
  db: ColdDatabase,
  entries: readonly ImportEntry[],
  event: ImportEvent,
  attempt = 1,
): Promise<readonly ImportOutcome[]> {
  try {
    return await db.longTransaction(() => writeEntries(db, entries, event));
  } catch (error) {
    const isOfEntry =
      error instanceof LoginNameTaken || error instanceof KeyTaken || error instanceof AttributeNotDefined;
    if (!isOfEntry) throw error;
    // Another process took a name or deleted an attribute meanwhile, or two users of the batch exchange names: the half without it can be written.
    if (entries.length > 1) {
      const middle = entries.length >> 1;
      const first = await writeJudged(db, entries.slice(0, middle), event);
      return [...first, ...(await writeJudged(db, entries.slice(middle), event))];
    }
    if (error instanceof LoginNameTaken) return [{ kind: 'loginTaken', loginName: error.loginName }];
    // The next attempt finds the owner of the name.
    if (attempt === MAX_ATTEMPTS) throw error;
    return writeJudged(db, entries, event, attempt + 1);
  }
}

function* writeEntries(
  db: ColdDatabase,
  entries: readonly ImportEntry[],
  event: ImportEvent,
): Steps<readonly ImportOutcome[]> {
  // Only a change that disables users may take the last owner away; all others do without the lock.
  if (entries.some(disables)) yield* db.own.lockRegistry();
  const judged = yield* judge(entries);
  const created = judged.filter(({ outcome }) => outcome.kind === 'created');
  const updated = judged.filter(({ outcome }) => outcome.kind === 'updated');
  if (created.length > 0) {
    yield* insertUsers(
      db.own,
      created.map(({ entry: { account }, names }) => ({ account, names })),
    );
  }
  if (updated.length > 0) {
    const changes = updated.map(({ entry: { account, change }, sub }) => {
      const profile = change?.profile ?? {};
      return { kind: 'user', sub, ...change, profile, keepsDeletion: true, now: account.updatedAt } as const;
    });
    yield* writeUsers(db.own, changes);
  }
  yield* refuseUndefinedAttributes(judged.flatMap(attributesOf));
  if (created.length + updated.length > 0) {
    yield* rowsOf(recordEvent(event({ created: created.length, updated: updated.length })));
  }
  return judged.map(({ outcome }) => outcome);
}

interface Judged {
  readonly entry: ImportEntry;
  /** Of the user that exists, or of the new one. */
  readonly sub: string;
  readonly names: readonly string[];
  readonly outcome: ImportOutcome;
}

interface Owner {
  readonly sub: string;
  readonly username: string;
}

function* judge(entries: readonly ImportEntry[]): Steps<readonly Judged[]> {
  return yield* withoutLastOwner(
    yield* withoutUnchanged(
      yield* withoutImpossibleLinks(
        yield* withoutTakenPasskeys(yield* withoutGoneAttributes(yield* judgeEntries(entries))),
      ),
    ),
  );
}

function* withoutGoneAttributes(judged: readonly Judged[]): Steps<readonly Judged[]> {
  const gone = yield* undefinedAmong(judged.flatMap(attributesOf));
  if (gone.size === 0) return judged;
  return judged.map(one => {
    const name = attributesOf(one).find(each => gone.has(each));
    return name === undefined ? one : { ...one, outcome: { kind: 'attributeGone', name } };
  });
}

function attributesOf({ outcome, entry: { account, change } }: Judged): readonly string[] {
  if (outcome.kind === 'created') return attributesOfNew(account);
  return outcome.kind === 'updated' ? Object.keys(change?.profile?.attributes ?? {}) : [];
}

function attributesOfNew({ standardClaims }: Account): readonly string[] {
  return Object.keys(standardClaims?.attributes ?? {});
}

/** No two entries have a passkey in common. One that the user has stays as it is, so a change does not name it. */
function* withoutTakenPasskeys(judged: readonly Judged[]): Steps<readonly Judged[]> {
  const owners = yield* passkeyOwners(judged.flatMap(passkeysOf));
  if (owners.size === 0) return judged;
  return judged.map(one => {
    const taken = passkeysOf(one).find(({ id }) => (owners.get(id)?.sub ?? one.sub) !== one.sub);
    const { username = '' } = owners.get(taken?.id ?? '') ?? {};
    if (taken) return { ...one, outcome: { kind: 'passkeyTaken', id: taken.id, username } };
    const passkeys = one.entry.change?.passkeys?.filter(({ id }) => !owners.has(id));
    return passkeys ? { ...one, entry: { ...one.entry, change: { ...one.entry.change, passkeys } } } : one;
  });
}

/** The same of links to identity providers. */
function* withoutImpossibleLinks(judged: readonly Judged[]): Steps<readonly Judged[]> {
  const wanted = judged.map(one => ({ sub: one.sub, links: linksOf(one) }));
  if (wanted.every(({ links }) => links.length === 0)) return judged;
  const { refusalOf, isHeld } = yield* linkJudge(wanted);
  return judged.map((one, index) => {
    const user = wanted[index];
    const outcome = user && refusalOf(user);
    if (outcome) return { ...one, outcome };
    const links = one.entry.change?.links?.filter(link => !isHeld(one.sub, link));
    return links ? { ...one, entry: { ...one.entry, change: { ...one.entry.change, links } } } : one;
  });
}

function linksOf({ outcome, entry: { account, change } }: Judged): readonly LinkKey[] {
  if (outcome.kind === 'created') return account.links ?? [];
  return outcome.kind === 'updated' ? (change?.links ?? []) : [];
}

function passkeysOf({ outcome, entry: { account, change } }: Judged): readonly PasskeyRecord[] {
  if (outcome.kind === 'created') return account.passkeys ?? [];
  return outcome.kind === 'updated' ? (change?.passkeys ?? []) : [];
}

/** Decides about each entry by the owners of its login names, also those that entries before it have taken. */
function* judgeEntries(entries: readonly ImportEntry[]): Steps<readonly Judged[]> {
  const namesOf = entries.map(({ account }) => loginNamesOf(account));
  const subs = entries.filter(({ keepsSub }) => keepsSub).map(({ account }) => account.sub);
  // A first import: nobody owns a name, and two statements with thousands of them need not be sent.
  const hasUsers = (yield* rowsOf(sql`SELECT 1 AS one FROM users LIMIT 1`)).length > 0;
  const [owners, ofSubs] = [
    yield* ownersOfNames(hasUsers ? namesOf.flat() : []),
    yield* ownersOfSubs(hasUsers ? subs : []),
  ];
  return entries.map((entry, index) => {
    const names = namesOf[index] ?? [];
    const present = presentUser(entry, owners, ofSubs);
    const sub = present?.sub ?? entry.account.sub;
    const judged = { entry, sub, names };
    if (present && entry.change === undefined) return { ...judged, outcome: { kind: 'present' } };
    const taken = names.find(name => (owners.get(name)?.sub ?? sub) !== sub);
    if (taken !== undefined) return { ...judged, outcome: { kind: 'loginTaken', loginName: taken } };
    const owner = { sub, username: entry.account.username };
    for (const name of names) owners.set(name, owner);
    if (entry.keepsSub) ofSubs.set(sub, owner);
    return { ...judged, outcome: { kind: present ? 'updated' : 'created' } };
  });
}

/** A change that leaves a user as it is is none: it would end nothing, but the time of the last change would be wrong. */
function* withoutUnchanged(judged: readonly Judged[]): Steps<readonly Judged[]> {
  const subs = judged.filter(({ outcome }) => outcome.kind === 'updated').map(({ sub }) => sub);
  if (subs.length === 0) return judged;
  const rows = yield* rowsOf(selectUsers(sql`u.sub ${among(subs)}`));
  const users = new Map(rows.map(toUser).map(user => [user.sub, user]));
  return judged.map(one => {
    const user = users.get(one.sub);
    const isUnchanged = one.outcome.kind === 'updated' && user !== undefined && !changes(user, one.entry);
    return isUnchanged ? { ...one, outcome: { kind: 'present' } } : one;
  });
}

/** Entries in the order of the file: the one that would disable the last owner is left out. */
function* withoutLastOwner(judged: readonly Judged[]): Steps<readonly Judged[]> {
  const isDisabling = ({ outcome, entry }: Judged) => outcome.kind === 'updated' && disables(entry);
  if (!judged.some(isDisabling)) return judged;
  const names = yield* ownerNames();
  const owners = new Set(names.keys());
  return judged.map(one => {
    if (!isDisabling(one) || !owners.has(one.sub)) return one;
    if (owners.size === 1) return { ...one, outcome: { kind: 'lastOwner', username: names.get(one.sub) ?? '' } };
    owners.delete(one.sub);
    return one;
  });
}

function disables({ change }: ImportEntry): boolean {
  return change?.disabled === true;
}

function changes(user: User, { change = {} }: ImportEntry): boolean {
  const { profile = {}, requiresMfa = user.requiresMfa } = change;
  const { disabled = user.disabled } = user.deletionDue === undefined ? change : user;
  const { passwordHash, totp, passkeys = [], links = [] } = change;
  if (passwordHash !== undefined || totp !== undefined || passkeys.length + links.length > 0) return true;
  const { requirePasswordChange: before = false } = user;
  const { requirePasswordChange = before } = change;
  if (requiresMfa !== user.requiresMfa || requirePasswordChange !== before) return true;
  return disabled !== user.disabled || !isSameProfile(user, changeProfile(user, profile));
}

/** The claims are compared as the store writes them. */
function isSameProfile(before: Profile, after: Profile): boolean {
  const fields = (profile: Profile) => [
    ...[profile.username, profile.nickname, profile.picture, profile.email, profile.emailVerified],
    ...[
      profile.phoneNumber,
      profile.phoneNumberVerified,
      profile.isPhoneClaimed === true,
      profile.isEmailClaimed === true,
      fromStandardClaims(profile.standardClaims),
    ],
    fromMembership(profile.membership),
  ];
  return JSON.stringify(fields(before)) === JSON.stringify(fields(after));
}

/** If the name is another user's e-mail address or telephone number, the entry is a new user, and its name is taken. */
function presentUser(
  { account, keepsSub }: ImportEntry,
  ofNames: ReadonlyMap<string, Owner>,
  ofSubs: ReadonlyMap<string, Owner>,
): Owner | undefined {
  if (keepsSub) return ofSubs.get(account.sub);
  const name = loginName(account.username) ?? '';
  const owner = ofNames.get(name);
  return owner && loginName(owner.username) === name ? owner : undefined;
}

function* ownersOfNames(names: readonly string[]): Steps<Map<string, Owner>> {
  if (names.length === 0) return new Map();
  const rows = yield* rowsOf(
    sql`SELECT n.login_name, n.sub, u.username FROM login_names n JOIN users u ON u.sub = n.sub
      WHERE n.login_name ${among(names)}`,
  );
  return new Map(
    rows.map(row => [row.login_name as string, { sub: row.sub as string, username: row.username as string }]),
  );
}

function* ownersOfSubs(subs: readonly string[]): Steps<Map<string, Owner>> {
  if (subs.length === 0) return new Map();
  const rows = yield* rowsOf(sql`SELECT sub, username FROM users WHERE sub ${among(subs)}`);
  return new Map(rows.map(row => [row.sub as string, { sub: row.sub as string, username: row.username as string }]));
}
