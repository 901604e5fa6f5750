import { recordEvent } from '../../audit/events/queries.ts';
import type { Event } from '../../audit/events/rules.ts';
import type { NewUser, UserChange } from '../../operators/apply/store.ts';
import { refuseLastOwner } from '../../operators/roles/last-owner.queries.ts';
import { endUndos, isSameAddress } from '../../people/email/undo-records.queries.ts';
import { insertLink, refuseImpossibleLinks } from '../../people/linking/records.queries.ts';
import type { LinkKey } from '../../people/linking/rules.ts';
import { insertPasskey, refuseTakenPasskeys } from '../../people/passkey/records.queries.ts';
import type { PasskeyRecord } from '../../people/passkey/store.ts';
import { endPasswordReset, removePassword, writePassword } from '../../people/password/queries.ts';
import { changeProfile } from '../../people/profile/rules.ts';
import { writeTotp } from '../../people/second-factor/queries.ts';
import { distrustBrowsers } from '../../people/trusted-browsers/queries.ts';
import { among, BYTEWISE, FOR_UPDATE, type Query, sql } from '../../platform/store/sql.ts';
import {
  type ColdDatabase,
  type OwnSteps,
  rowsOf,
  rowsOfEach,
  runAll,
  type Steps,
} from '../../platform/store/steps.ts';
import type { Profile } from './claims.rules.ts';
import { loginNamesOf } from './login-name.rules.ts';
import {
  addLoginNames,
  type LoginNames,
  refuseTakenNames,
  removeLoginNames,
  unlessTaken,
} from './login-names.queries.ts';
import { fromMembership, fromStandardClaims, toProfile } from './rows.store.ts';
import { searchableText } from './search.rules.ts';
import { noteUsers } from './search-index.queries.ts';
import type { Account, Users } from './store.ts';

export function coldUsers(db: ColdDatabase): Omit<Users, 'findAccount'> {
  return {
    updateProfile: (sub, profile, now) =>
      unlessTaken(
        db.transaction(function* () {
          const written = yield* writeUsers(db.own, [{ kind: 'user', sub, profile, now }]);
          return { kind: written === 1 ? 'done' : 'unknown' } as const;
        }),
      ),
  };
}

/** False: there is no such user, and no event is written. For changes that do not touch login names. */
export function* writeUser(own: OwnSteps, change: UserChange, event?: Event): Steps<boolean> {
  if ((yield* writeUsers(own, [change])) === 0) return false;
  if (event) yield* rowsOf(recordEvent(event));
  return true;
}

/** A user before the transaction, if it exists, and after it. */
interface Change {
  readonly write: NewUser | UserChange;
  readonly before: Profile | undefined;
  readonly after: Profile;
}

/**
 * Reads and locks the users and writes their changes. A concurrent change waits for this one and starts from its result. Returns how
 * many of the users exist. A transaction that disables users has locked the registry.
 */
export function* writeUsers(
  own: OwnSteps,
  writes: readonly (NewUser | UserChange)[],
  /** Checks the login names and writes nothing; the names of the users `released` are free. */
  dryRun?: { readonly released: readonly string[]; readonly newProviders: readonly string[] },
): Steps<number> {
  const ending = writes.filter(endsAccess);
  // Takes the advisory locks before any row lock: a login that holds its user's lock may wait for the row.
  if (!dryRun && ending.length > 0) yield* own.lockUsers(ending.map(({ sub }) => sub));
  yield* refuseLastOwner(
    writes.flatMap(write => (write.kind === 'user' && write.disabled === true ? [write.sub] : [])),
  );
  const changes = yield* readChanges(writes);
  const renamed = changes.filter(hasOtherNames).map(toLoginNames);
  yield* refuseTakenNames(renamed, dryRun?.released);
  const passkeys = changes.map(({ write, after: { sub } }) => ({ sub, passkeys: passkeysOf(write) }));
  const links = changes.map(({ write, after: { sub } }) => ({ sub, links: linksOf(write) }));
  yield* refuseImpossibleLinks(links, dryRun);
  if (dryRun) {
    yield* refuseTakenPasskeys(passkeys, dryRun.released);
    return changes.length;
  }
  yield* removeLoginNames(renamed);
  yield* runAll(changes.flatMap(writeChange));
  yield* runAll(
    noteUsers(
      changes.filter(isCalledOtherwise).map(({ after }) => after),
      changes[0]?.after.updatedAt ?? 0,
    ),
  );
  // After the write: another transaction may have added one until then.
  yield* refuseTakenPasskeys(passkeys);
  yield* refuseImpossibleLinks(links);
  yield* addLoginNames(renamed);
  const present = new Set(changes.map(({ after }) => after.sub));
  for (const { sub, now } of ending) if (present.has(sub)) yield* own.endUserAccess(sub, now);
  return changes.length;
}

function passkeysOf(write: NewUser | UserChange): readonly PasskeyRecord[] {
  return (write.kind === 'newUser' ? write.account.passkeys : write.passkeys) ?? [];
}

function linksOf(write: NewUser | UserChange): readonly LinkKey[] {
  return (write.kind === 'newUser' ? write.account.links : write.links) ?? [];
}

function endsAccess(write: NewUser | UserChange): write is UserChange {
  return write.kind === 'user' && (write.disabled === true || write.passwordHash !== undefined);
}

function* readChanges(writes: readonly (NewUser | UserChange)[]): Steps<readonly Change[]> {
  const subs = writes.flatMap(write => (write.kind === 'user' ? [write.sub] : []));
  const rows = yield* rowsOfEach(
    subs,
    some => sql`SELECT sub, username, nickname, picture, email, email_verified, phone_number, phone_number_verified,
      phone_claimed, updated_at, standard_claims, membership FROM users WHERE sub ${among(some)} ORDER BY sub ${BYTEWISE} ${FOR_UPDATE}`,
  );
  const claimed = yield* claimedAmong(subs);
  const leaving = yield* leavingAmong(writes.flatMap(write => (isOfFile(write) ? [write.sub] : [])));
  const profiles = new Map(
    rows.map(row => [row.sub as string, toProfile({ ...row, email_claimed: claimed.has(row.sub) })]),
  );
  return writes.flatMap((write): Change[] => {
    if (write.kind === 'newUser') return [{ write, before: undefined, after: write.account }];
    const before = profiles.get(write.sub);
    if (before === undefined) return [];
    const kept = leaving.has(write.sub) ? { ...write, disabled: undefined } : write;
    return [{ write: kept, before, after: { ...changeProfile(before, write.profile ?? {}), updatedAt: write.now } }];
  });
}

/** Of users that are locked. Apart from them: not every store locks a row of one table that it has found by another. */
function* claimedAmong(subs: readonly string[]): Steps<ReadonlySet<unknown>> {
  const rows = yield* rowsOfEach(subs, some => sql`SELECT sub FROM claimed_emails WHERE sub ${among(some)}`);
  return new Set(rows.map(({ sub }) => sub));
}

function isOfFile(write: NewUser | UserChange): write is UserChange {
  return write.kind === 'user' && write.keepsDeletion === true && write.disabled !== undefined;
}

/** Those of them who have asked to delete the account. Locked before: a request that comes meanwhile waits. */
function* leavingAmong(subs: readonly string[]): Steps<ReadonlySet<unknown>> {
  const rows = yield* rowsOfEach(subs, some => sql`SELECT sub FROM account_deletions WHERE sub ${among(some)}`);
  return new Set(rows.map(({ sub }) => sub));
}

/** Whether the address of the user is claimed from now on, where that changes. */
function noteClaim({ sub, isEmailClaimed }: Profile, wasClaimed = false): Query[] {
  if ((isEmailClaimed ?? false) === wasClaimed) return [];
  return isEmailClaimed
    ? [sql`INSERT INTO claimed_emails (sub) VALUES (${sub}) ON CONFLICT DO NOTHING`]
    : [sql`DELETE FROM claimed_emails WHERE sub = ${sub}`];
}

function hasOtherNames({ before, after }: Change): boolean {
  return before === undefined || loginNamesOf(before).join('\n') !== loginNamesOf(after).join('\n');
}

function isCalledOtherwise({ before, after }: Change): boolean {
  return before === undefined || searchableText(before) !== searchableText(after);
}

function toLoginNames({ after }: Change): LoginNames {
  return { sub: after.sub, names: loginNamesOf(after) };
}

function writeChange({ write, before, after }: Change): Query[] {
  if (write.kind === 'newUser') return insertUser(write.account);
  const { sub, disabled, passwordHash, requiresMfa, now } = write;
  const queries = [updateUser(after), ...noteClaim(after, before?.isEmailClaimed)];
  if (disabled !== undefined) {
    // An operator's word counts more than the user's: the user could undo the deletion, and with it that the account is disabled.
    queries.push(sql`UPDATE users SET disabled = ${disabled} WHERE sub = ${sub}`, forgetDeletion(sub));
  }
  if (requiresMfa !== undefined) queries.push(sql`UPDATE users SET require_mfa = ${requiresMfa} WHERE sub = ${sub}`);
  if (passwordHash !== undefined) {
    queries.push(passwordHash === null ? removePassword(sub) : writePassword(sub, passwordHash, now));
  }
  if (write.requirePasswordChange !== undefined) {
    queries.push(sql`UPDATE users SET require_password_change = ${write.requirePasswordChange} WHERE sub = ${sub}`);
  }
  if (endsAccess(write) || before?.email !== after.email) queries.push(endPasswordReset(sub));
  if (write.totp !== undefined) queries.push(writeTotp(sub, write.totp, now), distrustBrowsers(sub));
  queries.push(...passkeysOf(write).map(passkey => insertPasskey(sub, passkey, now)));
  queries.push(...linksOf(write).map(link => newLink(sub, link, now)));
  const hasNewFactor = write.totp !== undefined || passkeysOf(write).length > 0;
  if (hasNewFactor || hasOtherEmail(before, after)) queries.push(endUndos(sub));
  if (after.email !== undefined && !isSameAddress(before?.email, after.email)) {
    queries.push(sql`UPDATE users SET email_since = ${now} WHERE sub = ${sub}`);
  }
  return queries;
}

function hasOtherEmail(before: Profile | undefined, after: Profile): boolean {
  return before?.email !== after.email || before?.emailVerified !== after.emailVerified;
}

function insertUser(account: Account): Query[] {
  const { sub, username, nickname, picture, email, phoneNumber, passwordHash, updatedAt } = account;
  const { emailVerified, phoneNumberVerified, disabled, requiresMfa = false } = account;
  const user = sql`INSERT INTO users (sub, username, nickname, picture, email, email_verified, phone_number,
      phone_number_verified, disabled, updated_at, standard_claims, require_mfa, require_password_change,
      membership, email_since, phone_claimed)
    VALUES (${sub}, ${username}, ${nickname ?? null}, ${picture ?? null}, ${email ?? null}, ${emailVerified},
      ${phoneNumber ?? null}, ${phoneNumberVerified}, ${disabled}, ${updatedAt},
      ${fromStandardClaims(account.standardClaims)}, ${requiresMfa}, ${account.requirePasswordChange === true},
      ${fromMembership(account.membership)}, ${updatedAt}, ${account.isPhoneClaimed === true})`;
  const queries = [user, ...noteClaim(account)];
  if (passwordHash !== undefined) queries.push(writePassword(sub, passwordHash, updatedAt));
  if (account.totp !== undefined) queries.push(writeTotp(sub, account.totp, updatedAt));
  queries.push(...(account.passkeys ?? []).map(passkey => insertPasskey(sub, passkey, updatedAt)));
  queries.push(...(account.links ?? []).map(link => newLink(sub, link, updatedAt)));
  return queries;
}

function newLink(sub: string, link: LinkKey, createdAt: number): Query {
  return insertLink({ ...link, sub, label: undefined, createdAt });
}

function updateUser(profile: Profile): Query {
  const { sub, username, nickname, picture, email, emailVerified, phoneNumber, phoneNumberVerified } = profile;
  return sql`UPDATE users SET username = ${username}, nickname = ${nickname ?? null}, picture = ${picture ?? null},
      email = ${email ?? null}, email_verified = ${emailVerified}, phone_number = ${phoneNumber ?? null},
      phone_number_verified = ${phoneNumberVerified}, phone_claimed = ${profile.isPhoneClaimed === true}, updated_at = ${profile.updatedAt},
      standard_claims = ${fromStandardClaims(profile.standardClaims)}, membership = ${fromMembership(profile.membership)}
    WHERE sub = ${sub}`;
}

function forgetDeletion(sub: string): Query {
  return sql`DELETE FROM account_deletions WHERE sub = ${sub}`;
}
