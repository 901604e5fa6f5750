import { actOnce, unlessAnswered } from '../../audit/acts/queries.ts';
import { writeUsers } from '../../directory/users/changes.queries.ts';
import { unlessTaken } from '../../directory/users/login-names.queries.ts';
import { toAccount, USER_COLUMNS } from '../../directory/users/rows.store.ts';
import { RolledBack } from '../../platform/store/faults.ts';
import { optional, optionalNumber, type Row } from '../../platform/store/row.ts';
import { among, BYTEWISE, FOR_KEY_SHARE, FOR_UPDATE, perStore, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, type Steps } from '../../platform/store/steps.ts';
import { insertLink, removeLink } from './records.queries.ts';
import { type LinkKey, MAX_LINKS_OF_USER } from './rules.ts';
import type { Link, LinkOutcome, Links, NewLink } from './store.ts';
import { hasOtherWay } from './ways-in.queries.ts';

/** Columns by their names: the list is the same for both stores. */
const ACCOUNT = perStore(USER_COLUMNS, USER_COLUMNS);

export function coldLinks(db: ColdDatabase): Links {
  return {
    findLinkedAccount: async key => {
      const [row] =
        await db.read(sql`SELECT ${ACCOUNT}, u.phone_claimed, u.disabled, u.require_mfa, u.require_password_change,
          c.data AS password_hash, t.data AS totp, d.due_at AS deletion_due,
          EXISTS (SELECT 1 FROM credentials p WHERE p.sub = u.sub AND p.kind = 'passkey') AS has_passkey
        FROM user_links l JOIN users u ON u.sub = l.sub LEFT JOIN credentials c ON c.sub = u.sub AND c.id = 'password'
        LEFT JOIN credentials t ON t.sub = u.sub AND t.id = 'totp' LEFT JOIN account_deletions d ON d.sub = u.sub
        WHERE l.provider = ${key.provider} AND l.subject = ${key.subject}`);
      return row && toAccount(row);
    },
    linksOf: async sub => (await db.read(linksOfUser(sub))).map(toLink),
    linksOfUsers: async subs => {
      const rows = await db.read(sql`SELECT sub, provider, subject FROM user_links WHERE sub ${among(subs)}
        ORDER BY provider ${BYTEWISE}, subject ${BYTEWISE}`);
      const links = new Map<string, LinkKey[]>();
      for (const { sub, provider, subject } of rows) {
        const own = links.get(sub as string) ?? [];
        own.push({ provider: provider as string, subject: subject as string });
        links.set(sub as string, own);
      }
      return links;
    },
    linkUser: async (link, act) => {
      const outcome = await actOnce(db, {
        lock: () => lockUser(db, link.sub),
        *work(user) {
          const result = yield* addLink(link, user);
          return { result, act: result === 'linked' ? act : undefined };
        },
      });
      // Nothing of a person is repeated by an Idempotency-Key.
      return typeof outcome === 'object' ? 'present' : outcome;
    },
    createLinkedUser: async (link, account, event) => {
      const created = actOnce(db, {
        lock: () => lockProvider(link.provider),
        *work(isThere) {
          if (!isThere) return { result: 'gone' as const, act: undefined };
          yield* writeUsers(db.own, [{ kind: 'newUser', account }]);
          if ((yield* rowsOf(insertLink(link))).length === 0) throw new LinkTaken();
          return { result: 'created' as const, act: { event } };
        },
      });
      const outcome = await unlessLinked(unlessAnswered(unlessTaken(created)));
      return typeof outcome === 'object' && outcome.kind === 'alreadyAnswered' ? 'taken' : outcome;
    },
    unlinkUser: async (sub, { provider, subject }, keepsWayIn, act) => {
      const outcome = await actOnce(db, {
        lock: () => lockUser(db, sub),
        *work() {
          if (keepsWayIn && !(yield* hasOtherWay(sub, { link: { provider, subject } }))) {
            const present = (yield* rowsOf(linksOfUser(sub))).map(toLink);
            const isThere = present.some(each => each.provider === provider && each.subject === subject);
            return { result: isThere ? ('lastWay' as const) : ('unknown' as const), act: undefined };
          }
          const removed = yield* rowsOf(removeLink(sub, { provider, subject }));
          const isRemoved = removed.length > 0;
          return { result: isRemoved ? ('unlinked' as const) : ('unknown' as const), act: isRemoved ? act : undefined };
        },
      });
      return typeof outcome === 'object' ? 'unknown' : outcome;
    },
    noteLinkUsed: async ({ provider, subject }, label, now) => {
      await db.write(sql`UPDATE user_links SET last_used_at = ${now}, label = coalesce(${label ?? null}, label)
        WHERE provider = ${provider} AND subject = ${subject}`);
    },
  };
}

/** Rolls back the transaction; `unlessLinked` turns it into an outcome. */
class LinkTaken extends RolledBack {
  constructor() {
    super('a person of a provider has an account already');
  }
}

async function unlessLinked<T>(transaction: Promise<T>): Promise<T | 'taken'> {
  try {
    return await transaction;
  } catch (error) {
    if (error instanceof LinkTaken) return 'taken';
    throw error;
  }
}

export function linksOfUser(sub: string): Query {
  return sql`SELECT provider, subject, sub, label, created_at, last_used_at FROM user_links WHERE sub = ${sub}
    ORDER BY provider ${BYTEWISE}, subject ${BYTEWISE}`;
}

function* lockUser({ own }: ColdDatabase, sub: string): Steps<Row | undefined> {
  yield* own.lockUsers([sub]);
  const [user] = yield* rowsOf(sql`SELECT disabled FROM users WHERE sub = ${sub} ${FOR_UPDATE}`);
  return user;
}

/** What removes the provider with its links waits, or came before. False: there is no such provider. */
function* lockProvider(id: string): Steps<boolean> {
  return (yield* rowsOf(sql`SELECT 1 FROM providers WHERE id = ${id} ${FOR_KEY_SHARE}`)).length > 0;
}

function* addLink(link: NewLink, user: Row | undefined): Steps<LinkOutcome> {
  if (!user || user.disabled) return 'gone';
  const { provider, subject, sub } = link;
  const held = (yield* rowsOf(linksOfUser(sub))).map(toLink);
  if (held.some(each => each.provider === provider && each.subject === subject)) return 'present';
  if (held.length >= MAX_LINKS_OF_USER) return 'full';
  if (!(yield* lockProvider(provider))) return 'gone';
  return (yield* rowsOf(insertLink(link))).length > 0 ? 'linked' : 'taken';
}

export function toLink(row: Row): Link {
  return {
    provider: row.provider as string,
    subject: row.subject as string,
    sub: row.sub as string,
    label: optional(row.label),
    createdAt: Number(row.created_at),
    lastUsedAt: optionalNumber(row.last_used_at),
  };
}
