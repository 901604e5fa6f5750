import type { Client } from '../../protocol/client.ts';
import { originOf } from '../../protocol/redirect-uri.ts';
import type { Provision, Provisioning } from '../provisioning.ts';
import { fromStandardClaims } from '../rows.ts';
import type { Database } from './connection/database.ts';
import { takeLocks, userLock } from './connection/locks.ts';
import { type Run, statement } from './connection/statement.ts';
import { GROW, TURN } from './registry-version.ts';
import { endUserAccess } from './sessions.ts';
import { addFirstKey } from './signing-keys.ts';

/** What an apply file changes. All of it runs inside one transaction, in which nobody else changes the registry. */

const PUT_APPLICATION = statement(
  `INSERT INTO applications (code, name, settings) VALUES ($1, $2, $3)
   ON CONFLICT (code) DO UPDATE SET name = excluded.name, settings = excluded.settings`,
);
const PUT_CLIENT = statement(
  `INSERT INTO clients (app, client_id, secret_hash, metadata) VALUES ($1, $2, $3, $4)
   ON CONFLICT (app, client_id) DO UPDATE SET secret_hash = excluded.secret_hash, metadata = excluded.metadata`,
);
const DROP_ORIGINS = statement('DELETE FROM client_origins WHERE app = $1 AND client_id = $2');
const ADD_ORIGINS = statement(
  'INSERT INTO client_origins (app, client_id, origin) SELECT $1, $2, unnest($3::text[]) ON CONFLICT DO NOTHING',
);
const PUT_USER = statement(
  `INSERT INTO users (sub, username, nickname, picture, email, email_verified, phone_number, phone_number_verified,
                      password_hash, disabled, updated_at, standard_claims)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
   ON CONFLICT (sub) DO UPDATE SET
     username = excluded.username, nickname = excluded.nickname, picture = excluded.picture, email = excluded.email,
     email_verified = excluded.email_verified, phone_number = excluded.phone_number,
     phone_number_verified = excluded.phone_number_verified, disabled = excluded.disabled, updated_at = excluded.updated_at,
     standard_claims = excluded.standard_claims,
     password_hash = CASE WHEN $13 THEN users.password_hash ELSE excluded.password_hash END`,
);
const OWNERS = statement('SELECT login_name, sub FROM login_names WHERE login_name = ANY ($1::text[])');
const DROP_LOGIN_NAMES = statement('DELETE FROM login_names WHERE sub = ANY ($1::text[])');
const ADD_LOGIN_NAMES = statement(
  'INSERT INTO login_names (login_name, sub) SELECT unnest($1::text[]), $2 ON CONFLICT (login_name) DO NOTHING',
);
const PASSWORDS = statement('SELECT sub, password_hash FROM users WHERE sub = ANY ($1::text[])');

/** How many statements are sent before their answers are waited for, and how many names one statement asks about. */
const AT_ONCE = 500;

export function provisioning(db: Database): Provisioning {
  return {
    provision: (changes, dryRun = false) =>
      db.longTransaction(async run => {
        await run(TURN);
        const loginName = await findTakenLoginName(run, changes);
        if (loginName !== undefined) return { kind: 'loginTaken', loginName } as const;
        if (dryRun) return { kind: 'done' } as const;
        await writeChanges(run, changes);
        await run(GROW);
        return { kind: 'done' } as const;
      }),
  };
}

/** A name is taken when it belongs to somebody who is not giving it up in this very batch. */
async function findTakenLoginName(run: Run, changes: readonly Provision[]): Promise<string | undefined> {
  const users = changes.filter(change => change.kind === 'user');
  const wanted = new Map<string, string>();
  for (const { account, loginNames } of users) {
    for (const name of loginNames) {
      if ((wanted.get(name) ?? account.sub) !== account.sub) return name;
      wanted.set(name, account.sub);
    }
  }
  const rewritten = new Set(users.map(({ account }) => account.sub));
  for (const names of chunks([...wanted.keys()])) {
    for (const { login_name, sub } of await run(OWNERS, [names])) {
      if (sub !== wanted.get(login_name as string) && !rewritten.has(sub as string)) return login_name as string;
    }
  }
  return undefined;
}

async function writeChanges(run: Run, changes: readonly Provision[]): Promise<void> {
  const users = changes.filter(change => change.kind === 'user');
  const ending = await findEnding(run, users);
  // Before any row is locked: a login that shares its user's lock may wait for the row to be written (locks.ts).
  await takeLocks(run, { alone: ending.map(({ account }) => userLock(account.sub)) });
  // Before any is written, so that two users can swap an e-mail address in one batch.
  for (const some of chunks(users)) await run(DROP_LOGIN_NAMES, [some.map(({ account }) => account.sub)]);
  // In their order, since a client needs its application; sent without waiting for each.
  for (const some of chunks(changes)) await Promise.all(some.flatMap(change => write(run, change)));
  for (const { account } of ending) await endUserAccess(run, account.sub, account.updatedAt);
}

type UserChange = Extract<Provision, { kind: 'user' }>;

/** The users who lose what they hold: disabled, or with another password than before. */
async function findEnding(run: Run, users: readonly UserChange[]): Promise<UserChange[]> {
  const former = new Map<string, string | null>();
  for (const some of chunks(users)) {
    const rows = await run(PASSWORDS, [some.map(({ account }) => account.sub)]);
    for (const { sub, password_hash } of rows) former.set(sub as string, password_hash as string | null);
  }
  return users.filter(({ account: { sub, disabled, passwordHash }, keepPassword }) => {
    const changed = former.has(sub) && former.get(sub) !== (passwordHash ?? null);
    return disabled || (changed && !keepPassword);
  });
}

function write(run: Run, change: Provision): Promise<unknown>[] {
  switch (change.kind) {
    case 'application': {
      const { code, name, ...settings } = change.application;
      return [run(PUT_APPLICATION, [code, name, JSON.stringify(settings)])];
    }
    case 'client':
      return writeClient(run, change.app, change.client);
    case 'signingKey':
      return [addFirstKey(run, change.key)];
    case 'user':
      return writeUser(run, change);
  }
}

function writeClient(run: Run, app: string, { secret_hash, ...metadata }: Client): Promise<unknown>[] {
  const { client_id, redirect_uris } = metadata;
  const origins = new Set(redirect_uris.map(originOf).filter(origin => origin !== undefined));
  return [
    run(PUT_CLIENT, [app, client_id, secret_hash ?? null, JSON.stringify(metadata)]),
    run(DROP_ORIGINS, [app, client_id]),
    run(ADD_ORIGINS, [app, client_id, [...origins]]),
  ];
}

function writeUser(run: Run, { account, loginNames, keepPassword = false }: UserChange): Promise<unknown>[] {
  const { sub, username, nickname, picture, email, phoneNumber, passwordHash, updatedAt } = account;
  const { emailVerified, phoneNumberVerified, disabled } = account;
  return [
    run(PUT_USER, [
      sub,
      username,
      nickname ?? null,
      picture ?? null,
      email ?? null,
      emailVerified,
      phoneNumber ?? null,
      phoneNumberVerified,
      passwordHash ?? null,
      disabled,
      updatedAt,
      fromStandardClaims(account.standardClaims),
      keepPassword,
    ]),
    run(ADD_LOGIN_NAMES, [loginNames, sub]),
  ];
}

function* chunks<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += AT_ONCE) yield all.slice(start, start + AT_ONCE);
}
