import { recordAct, unlessAnswered } from '../../audit/acts/queries.ts';
import type { NewAnswer } from '../../audit/acts/store.ts';
import { recordEvent } from '../../audit/events/queries.ts';
import type { Event } from '../../audit/events/rules.ts';
import type { ApplicationSettings } from '../../directory/applications/rules.ts';
import { logoHash } from '../../directory/branding/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { putProvider } from '../../directory/providers/queries.ts';
import { deleteAttribute, putAttribute } from '../../directory/user-attributes/queries.ts';
import { writeUsers } from '../../directory/users/changes.queries.ts';
import { unlessTaken } from '../../directory/users/login-names.queries.ts';
import { toAccount } from '../../directory/users/rows.store.ts';
import { originOf } from '../../oauth/authorize/redirect-uri.rules.ts';
import { insertFirstKey, markPendingKeys } from '../../oauth/signing-keys/queries.ts';
import { unlessLinkRefused } from '../../people/linking/records.queries.ts';
import { unlessPasskeyTaken } from '../../people/passkey/records.queries.ts';
import { BYTEWISE, listed, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, type OwnSteps, runAll, type Steps } from '../../platform/store/steps.ts';
import { unlessLastOwner } from '../roles/last-owner.queries.ts';
import { isRemoval, remove } from './removals.queries.ts';
import type { Provision, Provisioning } from './store.ts';

/** The changes of an apply file, in one transaction. No other transaction changes the registry meanwhile. */
export function coldProvisioning(db: ColdDatabase): Provisioning {
  return {
    provision: async (changes, dryRun = false, events = [], answer) => {
      const written = db.longTransaction(() => provision(db.own, changes, { dryRun, events, answer }));
      const outcome = await unlessAnswered(
        unlessLastOwner(unlessLinkRefused(unlessPasskeyTaken(unlessTaken(written)))),
      );
      if (outcome.kind !== 'done') return outcome;
      if (outcome.erase) await db.eraseUsers(outcome.erase);
      return { kind: 'done' };
    },
    accountsAfter: async (username, limit) => {
      const page = sql`SELECT u.sub, u.username, u.nickname, u.picture, u.email, u.email_verified, u.phone_number,
          u.phone_number_verified, u.phone_claimed, u.updated_at, u.standard_claims, u.membership, u.disabled, u.require_mfa,
          u.require_password_change,
          c.data AS password_hash, t.data AS totp
        FROM users u LEFT JOIN credentials c ON c.sub = u.sub AND c.id = 'password'
        LEFT JOIN credentials t ON t.sub = u.sub AND t.id = 'totp'
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

function* provision(
  own: OwnSteps,
  changes: readonly Provision[],
  { dryRun, events: [first, ...events], answer }: Options,
): Steps<{ readonly kind: 'done'; readonly erase?: readonly string[] | undefined }> {
  yield* own.lockRegistry();
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
  yield* runAll(changes.flatMap(change => (change.kind === 'application' ? [putApplication(change.application)] : [])));
  yield* runAll(changes.flatMap(change => (change.kind === 'client' ? putClient(change.app, change.client) : [])));
  yield* runAll(changes.flatMap(change => (change.kind === 'signingKey' ? [insertFirstKey(change.key)] : [])));
  yield* runAll(changes.flatMap(change => (change.kind === 'pendingKeys' ? [markPendingKeys(change.app)] : [])));
  if (first) yield* recordAct({ event: first, answer });
  yield* runAll(events.map(recordEvent));
  yield* own.registryChanged();
  return { kind: 'done', erase };
}

function attributeChange(change: Provision): Query[] {
  if (change.kind === 'userAttribute') return [putAttribute(change.attribute)];
  return change.kind === 'deleteUserAttribute' ? [deleteAttribute(change.name, change.now)] : [];
}

/** The definitions of users' fields belong to the deployment. */
export function putApplication({ code, name, logo_uri, user_attributes: _, ...settings }: ApplicationSettings): Query {
  const hash = logo_uri === undefined ? null : logoHash(logo_uri);
  return sql`INSERT INTO applications (code, name, settings, logo_hash, logo)
    VALUES (${code}, ${name}, ${JSON.stringify(settings)}, ${hash}, ${logo_uri ?? null})
    ON CONFLICT (code) DO UPDATE SET name = excluded.name, settings = excluded.settings,
      logo_hash = excluded.logo_hash, logo = excluded.logo, deleted_at = NULL`;
}

export function putClient(app: string, { secret_hash, ...metadata }: Client): Query[] {
  const { client_id, redirect_uris, origin } = metadata;
  const origins = redirect_uris.map(originOf).filter(origin => origin !== undefined);
  return [
    sql`INSERT INTO clients (app, client_id, secret_hash, metadata)
      VALUES (${app}, ${client_id}, ${secret_hash ?? null}, ${JSON.stringify(metadata)})
      ON CONFLICT (app, client_id) DO UPDATE SET secret_hash = excluded.secret_hash, metadata = excluded.metadata`,
    // An operator has taken it over: it is kept, whether somebody uses it or not.
    ...(origin === undefined
      ? [sql`DELETE FROM client_registrations WHERE app = ${app} AND client_id = ${client_id}`]
      : []),
    sql`DELETE FROM client_origins WHERE app = ${app} AND client_id = ${client_id}`,
    sql`INSERT INTO client_origins (app, client_id, origin)
      SELECT ${app}, ${client_id}, value FROM ${listed([...new Set(origins)])} WHERE true`,
  ];
}
