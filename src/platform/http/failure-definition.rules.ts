import type { OperatorLocale } from '../ui/locale.rules.ts';

/** An entry of the catalogue of failures (src/failures.ts). */
export interface FailureDefinition {
  readonly error: string;
  readonly status: number;
  readonly description: string;
  /** For the error reference: what causes it, and what to do. */
  readonly cause: string;
  readonly fix: string;
  /** For operators: what happened, in one line. */
  readonly title: Readonly<Record<OperatorLocale, string>>;
  /** For operators: the rule that the request broke, and the section of a specification or the document that has it. */
  readonly rule: Readonly<Record<OperatorLocale, string>> & { readonly reference: string };
}
