import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';

/** An entry of the catalogue of events (src/events.ts). docs/events.md says when each is written, and with which details. */
export interface EventDefinition {
  /** For operators: what happened, in a few words. */
  readonly title: Readonly<Record<OperatorLocale, string>>;
}
