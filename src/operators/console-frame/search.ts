import type { OperatorTexts } from '../../platform/ui/texts.ts';
import type { IconName } from './icons.ts';
import type { ConsoleContext } from './page.ts';

/**
 * One kind of what the search of the console finds; a capability declares its own (`searches`). It asks operations with the rights of
 * the operator, so that a limited operator finds what the lists show, and nothing else.
 */
export interface ConsoleSearch {
  readonly title: OperatorTexts<string>;
  /** The best first; more than `MAX_HITS` are not shown. */
  find(context: ConsoleContext, text: string): Promise<readonly SearchHit[]>;
}

export interface SearchHit {
  readonly path: string;
  readonly title: string;
  /** What tells it from others of the same title. */
  readonly about?: string | undefined;
  readonly icon: IconName;
  /** It is about this person: a face instead of the icon. */
  readonly isPerson?: boolean;
}

export const MAX_HITS = 6;
/** Longer than any name or identifier; a text that is longer finds nothing. */
export const MAX_SEARCH_LENGTH = 256;
