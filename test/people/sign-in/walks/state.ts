import type { Seen } from '../../../build/visitor.ts';
import type { Browser, Trail } from './oracle.ts';
import type { Person, Town } from './town.ts';

/** One walk: two browsers, what was seen in them, and what they have sent. */
export interface Walk {
  readonly town: Town;
  readonly people: readonly Person[];
  readonly browsers: readonly [Browser, Browser];
  /** Of both browsers, the newest first: a walk moves what it finds there. */
  readonly pages: Page[];
  readonly posts: Post[];
  /** `app username` */
  readonly consents: Set<string>;
  /** How often something happened, over all walks. */
  readonly reached: Map<string, number>;
}

export interface Page {
  readonly seen: Seen;
  readonly trail: Trail;
}

/** A form as it was sent. */
export interface Post {
  readonly path: string;
  readonly fields: URLSearchParams;
  /** The page whose sealed sign-in is in the form. */
  readonly page: Page;
  /** The answer of an authenticator, and which sealed sign-in it was asked for. */
  readonly passkey?: {
    readonly who: Person;
    readonly isUserVerified: boolean;
    readonly pending: string;
    isSpent: boolean;
  };
}

export function count({ reached }: Pick<Walk, 'reached'>, what: string): void {
  reached.set(what, (reached.get(what) ?? 0) + 1);
}
