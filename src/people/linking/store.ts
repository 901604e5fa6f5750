import type { Act } from '../../audit/acts/store.ts';
import type { Event } from '../../audit/events/rules.ts';
import type { Account, LoginTaken } from '../../directory/users/store.ts';
import type { LinkKey } from './rules.ts';

export interface Link extends LinkKey {
  readonly sub: string;
  /** What the person is called there: a user name or an e-mail address, as it was when the link was last used. */
  readonly label: string | undefined;
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
}

export type NewLink = Omit<Link, 'lastUsedAt'>;

/**
 * `taken`: the person has another account here; `full`: the user has MAX_LINKS_OF_USER; `gone`: the user or the provider does not
 * exist any more, or the user is disabled. Nothing was written then.
 */
export type LinkOutcome = 'linked' | 'present' | 'taken' | 'full' | 'gone';

/** `lastWay`: without it nobody could sign in to the account. Nothing was removed then. */
export type UnlinkOutcome = 'unlinked' | 'unknown' | 'lastWay';

export interface Links {
  /** The account of a person, whether or not it is disabled; in one operation, as `findAccount`. */
  findLinkedAccount(key: LinkKey): Promise<Account | undefined>;
  linksOf(sub: string): Promise<Link[]>;
  /** By `sub`. */
  linksOfUsers(subs: readonly string[]): Promise<ReadonlyMap<string, readonly LinkKey[]>>;
  /** A subject has one account: of any number of calls for different users, on any node, one links it. */
  linkUser(link: NewLink, act: Act): Promise<LinkOutcome>;
  /** A new account with its link, both or none. `taken`: the person got an account meanwhile; `gone`: the provider was removed. */
  createLinkedUser(link: NewLink, account: Account, event: Event): Promise<'created' | 'taken' | 'gone' | LoginTaken>;
  /** `keepsWayIn`: not the last way in, as for the user itself; an operator may remove any. */
  unlinkUser(sub: string, key: LinkKey, keepsWayIn: boolean, act: Act): Promise<UnlinkOutcome>;
  /** For lists: when and as whom the person signed in by it. */
  noteLinkUsed(key: LinkKey, label: string | undefined, now: number): Promise<void>;
}
