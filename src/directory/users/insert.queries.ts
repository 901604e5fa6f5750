import { keyText } from '../../people/passkey/records.queries.ts';
import type { BulkRow, BulkTable, OwnSteps, Steps } from '../../platform/store/steps.ts';
import { fromMembership, fromStandardClaims } from './rows.store.ts';
import { toWaitingRow, WAITING } from './search-index.queries.ts';
import type { Account } from './store.ts';

/** New users in bulk, with their login names and with what they sign in with. */
const USERS: BulkTable = {
  name: 'users',
  columns: {
    sub: 'text',
    username: 'text',
    nickname: 'text',
    picture: 'text',
    email: 'text',
    email_verified: 'boolean',
    phone_number: 'text',
    phone_number_verified: 'boolean',
    disabled: 'boolean',
    updated_at: 'bigint',
    standard_claims: 'text',
    require_mfa: 'boolean',
    // Where there is a trigger, it makes the credential of it (schema/postgres.sql). The other way round, a trigger would write each user a
    // second time.
    password_hash: 'text',
    require_password_change: 'boolean',
    membership: 'text',
    email_since: 'bigint',
  },
};
const LOGIN_NAMES: BulkTable = { name: 'login_names', columns: { login_name: 'text', sub: 'text' } };

const CREDENTIALS: BulkTable = {
  name: 'credentials',
  columns: {
    sub: 'text',
    id: 'text',
    kind: 'text',
    data: 'text',
    created_at: 'bigint',
    name: 'text',
    sign_count: 'bigint',
    backed_up: 'boolean',
  },
};

const LINKS: BulkTable = {
  name: 'user_links',
  columns: { provider: 'text', subject: 'text', sub: 'text', created_at: 'bigint' },
};

interface NewUser {
  readonly account: Account;
  readonly names: readonly string[];
}

/** In the order of keys: rows of one page are written together, and two imports that want the same names do not deadlock. */
export function* insertUsers(own: OwnSteps, users: readonly NewUser[]): Steps<void> {
  yield* own.insertRows(USERS, inOrderOfKeys(users.map(({ account }) => toUserRow(account, own.hasPasswordTriggers))));
  const names = users.flatMap(({ names, account }) => names.map(name => [name, account.sub] as const));
  yield* own.insertRows(LOGIN_NAMES, inOrderOfKeys(names));
  yield* own.insertRows(WAITING, inOrderOfKeys(users.map(({ account }) => toWaitingRow(account))));
  const credentials = users.flatMap(({ account }) => [
    ...(own.hasPasswordTriggers ? [] : toPasswordRows(account)),
    ...toCredentialRows(account),
  ]);
  if (credentials.length > 0) yield* own.insertRows(CREDENTIALS, inOrderOfKeys(credentials));
  const links = users.flatMap(({ account: { sub, links: own = [], updatedAt } }) =>
    own.map(({ provider, subject }): BulkRow => [provider, subject, sub, updatedAt]),
  );
  if (links.length > 0) yield* own.insertRows(LINKS, inOrderOfKeys(links));
}

function toPasswordRows({ sub, passwordHash, updatedAt }: Account): BulkRow[] {
  return passwordHash === undefined ? [] : [[sub, 'password', 'password', passwordHash, updatedAt, null, null, null]];
}

/** All but the password. */
function toCredentialRows({ sub, totp, passkeys = [], updatedAt }: Account): BulkRow[] {
  const rows = passkeys.map((passkey): BulkRow => {
    const { id, name, signCount, isBackedUp } = passkey;
    return [sub, id, 'passkey', keyText(passkey), updatedAt, name, signCount, isBackedUp];
  });
  return totp === undefined ? rows : [[sub, 'totp', 'totp', totp, updatedAt, null, null, null], ...rows];
}

function inOrderOfKeys(rows: readonly BulkRow[]): readonly BulkRow[] {
  return rows.toSorted(([one], [other]) => ((one as string) < (other as string) ? -1 : 1));
}

function toUserRow(account: Account, withPassword: boolean): BulkRow {
  const { sub, username, nickname, picture, email, emailVerified, phoneNumber, phoneNumberVerified } = account;
  return [
    ...[sub, username, nickname ?? null, picture ?? null, email ?? null, emailVerified],
    ...[phoneNumber ?? null, phoneNumberVerified, account.disabled, account.updatedAt],
    ...[fromStandardClaims(account.standardClaims), account.requiresMfa ?? false],
    ...[withPassword ? (account.passwordHash ?? null) : null],
    ...[account.requirePasswordChange === true, fromMembership(account.membership), account.updatedAt],
  ];
}
