import type { Client } from '../../protocol/client.ts';
import { originOf } from '../../protocol/redirect-uri.ts';
import type { Provision, Provisioning, ProvisionOutcome } from '../provisioning.ts';
import { fromStandardClaims } from '../rows.ts';
import type { Database } from './connection/database.ts';
import { prepareEndUserAccess } from './sessions.ts';
import { prepareAddFirstKey } from './signing-keys.ts';

export function provisioning(db: Database): Provisioning {
  const grow = db.prepare('UPDATE registry_version SET version = version + 1');
  const writer = provisioner(db);
  return {
    provision: (changes, dryRun = false) =>
      db.write(() => {
        const taken = writer.firstTakenLoginName(changes);
        if (taken !== undefined) return { kind: 'loginTaken', loginName: taken } satisfies ProvisionOutcome;
        if (dryRun) return { kind: 'done' } satisfies ProvisionOutcome;
        writer.freeLoginNames(changes);
        for (const change of changes) writer.write(change);
        grow.run();
        return { kind: 'done' } satisfies ProvisionOutcome;
      }),
  };
}

function provisioner(db: Database) {
  const putApplication = db.prepare(
    `INSERT INTO applications (code, name, settings) VALUES (?, ?, ?)
     ON CONFLICT (code) DO UPDATE SET name = excluded.name, settings = excluded.settings`,
  );
  const putClient = db.prepare(
    `INSERT INTO clients (app, client_id, secret_hash, metadata) VALUES (?, ?, ?, ?)
     ON CONFLICT (app, client_id) DO UPDATE SET secret_hash = excluded.secret_hash, metadata = excluded.metadata`,
  );
  const dropOrigins = db.prepare('DELETE FROM client_origins WHERE app = ? AND client_id = ?');
  const addOrigin = db.prepare('INSERT OR IGNORE INTO client_origins (app, origin, client_id) VALUES (?, ?, ?)');
  const putUser = db.prepare(
    `INSERT INTO users (sub, username, nickname, picture, email, email_verified, phone_number, phone_number_verified,
                        password_hash, disabled, updated_at, standard_claims)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (sub) DO UPDATE SET
       username = excluded.username, nickname = excluded.nickname, picture = excluded.picture, email = excluded.email,
       email_verified = excluded.email_verified, phone_number = excluded.phone_number,
       phone_number_verified = excluded.phone_number_verified, password_hash = excluded.password_hash,
       disabled = excluded.disabled, updated_at = excluded.updated_at, standard_claims = excluded.standard_claims`,
  );
  const addFirstKey = prepareAddFirstKey(db);
  const findPassword = db.prepare('SELECT password_hash FROM users WHERE sub = ?');
  const endUserAccess = prepareEndUserAccess(db);
  const ownerOf = db.prepare('SELECT sub FROM login_names WHERE login_name = ?');
  const dropLoginNames = db.prepare('DELETE FROM login_names WHERE sub = ?');
  const addLoginName = db.prepare('INSERT INTO login_names (login_name, sub) VALUES (?, ?)');

  const writeClient = (app: string, { secret_hash, ...metadata }: Client) => {
    putClient.run(app, metadata.client_id, secret_hash ?? null, JSON.stringify(metadata));
    dropOrigins.run(app, metadata.client_id);
    for (const uri of metadata.redirect_uris) {
      const origin = originOf(uri);
      if (origin !== undefined) addOrigin.run(app, origin, metadata.client_id);
    }
  };
  const writeUser = ({ account, loginNames, keepPassword }: Extract<Provision, { kind: 'user' }>) => {
    const stored = findPassword.get(account.sub);
    const former = stored?.password_hash as string | null | undefined;
    const passwordHash = keepPassword && former !== undefined ? former : (account.passwordHash ?? null);
    putUser.run(
      account.sub,
      account.username,
      account.nickname ?? null,
      account.picture ?? null,
      account.email ?? null,
      account.emailVerified ? 1 : 0,
      account.phoneNumber ?? null,
      account.phoneNumberVerified ? 1 : 0,
      passwordHash,
      account.disabled ? 1 : 0,
      account.updatedAt,
      fromStandardClaims(account.standardClaims),
    );
    const newPassword = former !== undefined && former !== passwordHash;
    if (account.disabled || newPassword) endUserAccess(account.sub, account.updatedAt);
    for (const name of loginNames) addLoginName.run(name, account.sub);
  };

  return {
    /** A name is taken when it belongs to somebody who is not giving it up in this very batch. */
    firstTakenLoginName: (changes: readonly Provision[]): string | undefined => {
      const users = changes.filter(change => change.kind === 'user');
      const owners = new Map<string, string>();
      for (const { account, loginNames } of users) {
        for (const name of loginNames) {
          if ((owners.get(name) ?? account.sub) !== account.sub) return name;
          owners.set(name, account.sub);
        }
      }
      const rewritten = new Set(users.map(({ account }) => account.sub));
      for (const [name, sub] of owners) {
        const owner = ownerOf.get(name)?.sub as string | undefined;
        if (owner !== undefined && owner !== sub && !rewritten.has(owner)) return name;
      }
      return undefined;
    },
    /** Before any is written, so that two users can swap an e-mail address in one batch. */
    freeLoginNames: (changes: readonly Provision[]): void => {
      for (const change of changes) if (change.kind === 'user') dropLoginNames.run(change.account.sub);
    },
    write: (change: Provision): void => {
      switch (change.kind) {
        case 'application': {
          const { code, name, ...settings } = change.application;
          putApplication.run(code, name, JSON.stringify(settings));
          return;
        }
        case 'client':
          writeClient(change.app, change.client);
          return;
        case 'signingKey':
          addFirstKey(change.key);
          return;
        case 'user':
          writeUser(change);
      }
    },
  };
}
