import { RolledBack } from '../../platform/store/faults.ts';
import { among, type Query, sql } from '../../platform/store/sql.ts';
import { rowsOf, rowsOfEach, type Steps } from '../../platform/store/steps.ts';
import { type LinkKey, type LinkRefused, MAX_LINKS_OF_USER } from './rules.ts';

/** Whose the links are that operators give to users, by an apply file, an import or the admin API. */

/** The links that a user is to have beside those that it has. */
export interface WantedLinks {
  readonly sub: string;
  readonly links: readonly LinkKey[];
}

/** Rolls back the transaction; `unlessLinkRefused` turns it into an outcome. */
class LinkNotPossible extends RolledBack {
  readonly outcome: LinkRefused;
  constructor(outcome: LinkRefused) {
    super('a link of a user is not possible');
    this.outcome = outcome;
  }
}

export async function unlessLinkRefused<T>(transaction: Promise<T>): Promise<T | LinkRefused> {
  try {
    return await transaction;
  } catch (error) {
    if (error instanceof LinkNotPossible) return error.outcome;
    throw error;
  }
}

/**
 * A link never moves from one user to another: its person would sign in as somebody else. `released`: users that are deleted.
 * `newProviders`: those that the transaction is to register.
 */
export function* refuseImpossibleLinks(
  users: readonly WantedLinks[],
  { released = [], newProviders = [] }: { released?: readonly string[]; newProviders?: readonly string[] } = {},
): Steps<void> {
  const { refusalOf } = yield* linkJudge(users, { released, newProviders });
  for (const user of users) {
    const refused = refusalOf(user);
    if (refused) throw new LinkNotPossible(refused);
  }
}

export interface LinkJudge {
  refusalOf(user: WantedLinks): LinkRefused | undefined;
  isHeld(sub: string, link: LinkKey): boolean;
}

export function* linkJudge(
  users: readonly WantedLinks[],
  { released = [], newProviders = [] }: { released?: readonly string[]; newProviders?: readonly string[] } = {},
): Steps<LinkJudge> {
  const wanted = users.flatMap(({ links }) => links);
  if (wanted.length === 0) return { refusalOf: () => undefined, isHeld: () => false };
  const owners = yield* linkOwners(wanted);
  const held = yield* heldLinks(users.flatMap(({ sub, links }) => (links.length > 0 ? [sub] : [])));
  const rows = yield* rowsOf(sql`SELECT id FROM providers`);
  const providers = new Set([...rows.map(({ id }) => id as string), ...newProviders]);
  const refusalOf = ({ sub, links }: WantedLinks) => {
    const own = new Set(held.get(sub));
    for (const link of links) {
      const refused = (reason: LinkRefused['reason'], username?: string): LinkRefused => {
        return { kind: 'linkRefused', link, reason, username };
      };
      if (!providers.has(link.provider)) return refused('noProvider');
      const owner = owners.get(keyText(link));
      if (owner && owner.sub !== sub && !released.includes(owner.sub)) return refused('taken', owner.username);
      if (own.add(keyText(link)).size > MAX_LINKS_OF_USER) return refused('full');
    }
    return undefined;
  };
  return { refusalOf, isHeld: (sub, link) => owners.get(keyText(link))?.sub === sub };
}

interface Owner {
  readonly sub: string;
  readonly username: string;
}

function* linkOwners(links: readonly LinkKey[]): Steps<ReadonlyMap<string, Owner>> {
  const owners = new Map<string, Owner>();
  for (const provider of new Set(links.map(each => each.provider))) {
    const subjects = links.filter(each => each.provider === provider).map(({ subject }) => subject);
    const rows = yield* rowsOfEach(
      [...new Set(subjects)],
      some => sql`SELECT l.subject, l.sub, u.username FROM user_links l JOIN users u ON u.sub = l.sub
        WHERE l.provider = ${provider} AND l.subject ${among(some)}`,
    );
    for (const { subject, sub, username } of rows) {
      const key = keyText({ provider, subject: subject as string });
      owners.set(key, { sub: sub as string, username: username as string });
    }
  }
  return owners;
}

function* heldLinks(subs: readonly string[]): Steps<ReadonlyMap<string, readonly string[]>> {
  const rows = yield* rowsOfEach(
    subs,
    some => sql`SELECT sub, provider, subject FROM user_links WHERE sub ${among(some)}`,
  );
  const held = new Map<string, string[]>();
  for (const { sub, provider, subject } of rows) {
    const key = keyText({ provider: provider as string, subject: subject as string });
    held.set(sub as string, [...(held.get(sub as string) ?? []), key]);
  }
  return held;
}

/** No id of a provider has a colon. */
const keyText = ({ provider, subject }: LinkKey) => `${provider}:${subject}`;

interface NewLinkRow extends LinkKey {
  readonly sub: string;
  readonly label: string | undefined;
  readonly createdAt: number;
}

export function removeLink(sub: string, { provider, subject }: LinkKey): Query {
  return sql`DELETE FROM user_links WHERE sub = ${sub} AND provider = ${provider} AND subject = ${subject} RETURNING 1`;
}

/** The second of two transactions waits for the first one's commit, and adds nothing. */
export function insertLink({ provider, subject, sub, label, createdAt }: NewLinkRow): Query {
  return sql`INSERT INTO user_links (provider, subject, sub, label, created_at)
    VALUES (${provider}, ${subject}, ${sub}, ${label ?? null}, ${createdAt})
    ON CONFLICT (provider, subject) DO NOTHING RETURNING 1`;
}
