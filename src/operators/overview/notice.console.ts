import type { PillKind } from '../console-frame/parts.ts';

/** What an operator should look at first, each with the act that settles it. */
export interface Notice {
  /** `bad`: something does not work, or is open to others. `plain`: it can wait. */
  readonly kind: Extract<PillKind, 'bad' | 'plain'>;
  readonly title: string;
  readonly detail?: string | undefined;
  /** A link to the page that settles it, or a button of the overview (`action` of its form). */
  readonly act: Act;
  /** The list of first steps says it too. */
  readonly isFirstStep?: boolean;
}

export type Act =
  | { readonly label: string; readonly path: string }
  | { readonly label: string; readonly action: string };
