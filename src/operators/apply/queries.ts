import { recordAct, unlessAnswered } from '../../audit/acts/queries.ts';
import type { NewAnswer } from '../../audit/acts/store.ts';
import { recordEvent } from '../../audit/events/queries.ts';
import type { Event } from '../../audit/events/rules.ts';
import { putApplication, putClient } from '../../directory/applications/put.queries.ts';
import { putProvider } from '../../directory/providers/queries.ts';
import { refuseUndefinedAttributes, unlessAttributeGone } from '../../directory/user-attributes/defined.queries.ts';
import { deleteAttribute, putAttribute } from '../../directory/user-attributes/queries.ts';
import { writeUsers } from '../../directory/users/changes.queries.ts';
import { unlessTaken } from '../../directory/users/login-names.queries.ts';
import { toAccount } from '../../directory/users/rows.store.ts';
import { insertFirstKey, markPendingKeys } from '../../oauth/signing-keys/queries.ts';
import { unlessLinkRefused } from '../../people/linking/records.queries.ts';
import { unlessPasskeyTaken } from '../../people/passkey/records.queries.ts';
import { BYTEWISE, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, type OwnSteps, runAll, type Steps } from '../../platform/store/steps.ts';
import { unlessLastOwner } from '../roles/last-owner.queries.ts';
import { isRemoval, remove } from './removals.queries.ts';
import { isStale } from './stale.queries.ts';
import type { NewUser, Provision, Provisioning, UserChange } from './store.ts';

/** The changes of an apply file, in one transaction. No other transaction changes the registry meanwhile. */
export function coldProvisioning(db: ColdDatabase): Provisioning {
  return {
    provision: async (changes, dryRun = false, events = [], answer) => {
      const written = db.longTransaction(() => provision(db.own, changes, { dryRun, events, answer }));
      const outcome = await unlessAnswered(
        unlessLastOwner(unlessLinkRefused(unlessPasskeyTaken(unlessTaken(unlessAttributeGone(written))))),
      );
      if (outcome.kind !== 'done') return outcome;
      if (outcome.erase) await db.eraseUsers(outcome.erase);
      return { kind: 'done' };
    },
    accountsAfter: async (username, limit) => {
      const page = sql`SELECT u.sub, u.username, u.nickname, u.picture, u.email, u.email_verified, u.phone_number,
          u.phone_number_verified, u.phone_claimed, u.updated_at, u.standard_claims, u.membership, u.disabled, u.require_mfa,
          u.require_password_change, EXISTS (SELECT 1 FROM claimed_emails m WHERE m.sub = u.sub) AS email_claimed,
          c.data AS password_hash, t.data AS totp, d.due_at AS deletion_due
        FROM users u LEFT JOIN credentials c ON c.sub = u.sub AND c.id = 'password'
        LEFT JOIN credentials t ON t.sub = u.sub AND t.id = 'totp' LEFT JOIN account_deletions d ON d.sub = u.sub
        WHERE u.username ${BYTEWISE} > ${username ?? ''} ORDER BY u.username ${BYTEWISE} LIMIT ${limit}`;
      return (await db.read(page)).map(toAccount);
    },
  };
}

interface Options {
  readonly dryRun: boolean;
  readonly events: readonly Event[];
  readonly answer: NewAnswer | undefined;
}

type Provisioned =
  | { readonly kind: 'stale' }
  | { readonly kind: 'done'; readonly erase?: readonly string[] | undefined };

function* provision(
  own: OwnSteps,
  changes: readonly Provision[],
  { dryRun, events: [first, ...events], answer }: Options,
): Steps<Provisioned> {
  yield* own.lockRegistry();
  if (!dryRun && (yield* isStale(changes))) return { kind: 'stale' };
  const users = changes.filter(change => change.kind === 'newUser' || change.kind === 'user');
  const removals = changes.filter(isRemoval);
  const erase = dryRun ? undefined : yield* remove(own, removals);
  const deleted = removals.flatMap(removal => (removal.kind === 'deleteUser' ? [removal.sub] : []));
  const providers = changes.flatMap(change => (change.kind === 'provider' ? [change.provider] : []));
  // Before the links of users to them.
  if (!dryRun) yield* runAll(providers.map(putProvider));
  const newProviders = providers.map(({ id }) => id);
  yield* writeUsers(own, users, dryRun ? { released: deleted, newProviders } : undefined);
  if (dryRun) return { kind: 'done' };
  yield* runAll(changes.flatMap(attributeChange));
  yield* refuseUndefinedAttributes(users.flatMap(attributesWritten));
  yield* runAll(changes.flatMap(change => (change.kind === 'application' ? [putApplication(change.application)] : [])));
  yield* runAll(changes.flatMap(change => (change.kind === 'client' ? putClient(change.app, change.client) : [])));
  yield* runAll(changes.flatMap(change => (change.kind === 'signingKey' ? [insertFirstKey(change.key)] : [])));
  yield* runAll(changes.flatMap(change => (change.kind === 'pendingKeys' ? [markPendingKeys(change.app)] : [])));
  if (first) yield* recordAct({ event: first, answer });
  yield* runAll(events.map(recordEvent));
  yield* own.registryChanged();
  return { kind: 'done', erase };
}

function attributesWritten(write: NewUser | UserChange): readonly string[] {
  const values = write.kind === 'newUser' ? write.account.standardClaims?.attributes : write.profile?.attributes;
  return Object.keys(values ?? {});
}

function attributeChange(change: Provision): Query[] {
  if (change.kind === 'userAttribute') return [putAttribute(change.attribute)];
  return change.kind === 'deleteUserAttribute' ? [deleteAttribute(change.name, change.now)] : [];
}
