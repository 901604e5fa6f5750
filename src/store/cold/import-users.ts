import { loginName, loginNamesOf } from '../../protocol/login-name.ts';
import { fromStandardClaims } from '../rows.ts';
import type { Account, ImportEntry, ImportOutcome, UserAdministration } from '../users.ts';
import { recordEvent } from './events.ts';
import { LoginNameTaken } from './login-names.ts';
import { among, type RecordColumns, records, sql } from './sql.ts';
import { type ColdDatabase, rowsOf, type Steps } from './steps.ts';
import { writeUsers } from './users.ts';

type Import = Pick<UserAdministration, 'importUsers' | 'checkImport'>;

/** Users in bulk: a batch needs few statements, however many users it has. */
export function coldImport(db: ColdDatabase): Import {
  const importUsers: Import['importUsers'] = async (entries, event) => {
    try {
      return await db.longTransaction(() => writeEntries(db, entries, event));
    } catch (error) {
      if (!(error instanceof LoginNameTaken)) throw error;
      // Another process took a name meanwhile, or two users of the batch exchange names: the half without it can be written.
      if (entries.length === 1) return [{ kind: 'loginTaken', loginName: error.loginName }];
      const middle = entries.length >> 1;
      const first = await importUsers(entries.slice(0, middle), event);
      return [...first, ...(await importUsers(entries.slice(middle), event))];
    }
  };
  return {
    importUsers,
    checkImport: entries =>
      db.longTransaction(function* () {
        return (yield* judgeEntries(entries)).map(({ outcome }) => outcome);
      }),
  };
}

function* writeEntries(
  db: ColdDatabase,
  entries: readonly ImportEntry[],
  event: Parameters<Import['importUsers']>[1],
): Steps<readonly ImportOutcome[]> {
  const judged = yield* judgeEntries(entries);
  const created = judged.filter(({ outcome }) => outcome.kind === 'created');
  const updated = judged.filter(({ outcome }) => outcome.kind === 'updated');
  if (created.length > 0) yield* insertUsers(created.map(({ entry }) => entry.account));
  if (updated.length > 0) {
    const changes = updated.map(({ entry: { account, change }, sub }) => {
      return { kind: 'user', sub, ...change, profile: change?.profile ?? {}, now: account.updatedAt } as const;
    });
    yield* writeUsers(db.own, changes);
  }
  if (created.length + updated.length > 0) {
    yield* rowsOf(recordEvent(event({ created: created.length, updated: updated.length })));
  }
  return judged.map(({ outcome }) => outcome);
}

interface Judged {
  readonly entry: ImportEntry;
  /** Of the user that exists, or of the new one. */
  readonly sub: string;
  readonly outcome: ImportOutcome;
}

interface Owner {
  readonly sub: string;
  readonly username: string;
}

/** Decides about each entry by the owners of its login names, also those that entries before it have taken. */
function* judgeEntries(entries: readonly ImportEntry[]): Steps<readonly Judged[]> {
  const names = [...new Set(entries.flatMap(({ account }) => loginNamesOf(account)))];
  const subs = entries.filter(({ keepsSub }) => keepsSub).map(({ account }) => account.sub);
  const [ofNames, ofSubs] = [yield* ownersOfNames(names), yield* ownersOfSubs(subs)];
  return entries.map(entry => {
    const { account } = entry;
    const present = presentUser(entry, ofNames, ofSubs);
    const sub = present?.sub ?? account.sub;
    const taken = loginNamesOf(account).find(name => (ofNames.get(name)?.sub ?? sub) !== sub);
    const unchanged = present !== undefined && entry.change === undefined;
    if (taken !== undefined && !unchanged) return { entry, sub, outcome: { kind: 'loginTaken', loginName: taken } };
    if (unchanged) return { entry, sub, outcome: { kind: 'present' } };
    for (const name of loginNamesOf(account)) ofNames.set(name, { sub, username: account.username });
    return { entry, sub, outcome: { kind: present ? 'updated' : 'created' } };
  });
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

const USER: RecordColumns = {
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
};
const PASSWORD: RecordColumns = { sub: 'text', data: 'text', created_at: 'bigint' };
const LOGIN_NAME: RecordColumns = { login_name: 'text', sub: 'text' };

function* insertUsers(accounts: readonly Account[]): Steps<void> {
  yield* rowsOf(
    sql`INSERT INTO users (sub, username, nickname, picture, email, email_verified, phone_number, phone_number_verified,
        disabled, updated_at, standard_claims)
      SELECT sub, username, nickname, picture, email, email_verified, phone_number, phone_number_verified, disabled,
        updated_at, standard_claims FROM ${records(USER, accounts.map(toUserRow))}`,
  );
  const passwords = accounts.filter(({ passwordHash }) => passwordHash !== undefined).map(toPasswordRow);
  if (passwords.length > 0) {
    yield* rowsOf(
      sql`INSERT INTO credentials (sub, id, kind, data, created_at)
        SELECT sub, 'password', 'password', data, created_at FROM ${records(PASSWORD, passwords)}`,
    );
  }
  const names = accounts.flatMap(account =>
    loginNamesOf(account).map(name => ({ login_name: name, sub: account.sub })),
  );
  const added = yield* rowsOf(
    sql`INSERT INTO login_names (login_name, sub) SELECT login_name, sub FROM ${records(LOGIN_NAME, names)} WHERE true
      ON CONFLICT (login_name) DO NOTHING RETURNING login_name`,
  );
  if (added.length === names.length) return;
  const written = new Set(added.map(({ login_name }) => login_name));
  throw new LoginNameTaken(names.find(({ login_name }) => !written.has(login_name))?.login_name ?? '');
}

function toUserRow(account: Account): object {
  return {
    sub: account.sub,
    username: account.username,
    nickname: account.nickname,
    picture: account.picture,
    email: account.email,
    email_verified: account.emailVerified,
    phone_number: account.phoneNumber,
    phone_number_verified: account.phoneNumberVerified,
    disabled: account.disabled,
    updated_at: account.updatedAt,
    standard_claims: fromStandardClaims(account.standardClaims) ?? undefined,
  };
}

function toPasswordRow({ sub, passwordHash, updatedAt }: Account): object {
  return { sub, data: passwordHash, created_at: updatedAt };
}
