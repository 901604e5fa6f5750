/** Pure: whether an identity provider works, as its last sign-ins tell. */

/** A sign-in or a trial with a provider, as the audit log has it. */
export interface Sign {
  readonly time: number;
  /** Undefined: it succeeded. Otherwise `reason` of the event, such as `refused`, and what the provider said. */
  readonly reason: string | undefined;
  readonly detail: string | undefined;
}

export type ProviderState =
  | { readonly state: 'works'; readonly since: number }
  | {
      readonly state: 'fails';
      readonly since: number;
      /** In a row, as far as they were read. */
      readonly failures: number;
      readonly reason: string;
      readonly detail: string | undefined;
    }
  | { readonly state: 'unused' };

/** Faults of the provider, or of what is registered of it. With every other, the provider has answered as it should. */
const FAULTS: readonly string[] = ['unavailable', 'refused', 'invalid'];
/** The person turned back: the provider was not heard. */
const SILENT: readonly string[] = ['cancelled'];

/** Why nobody was sent to the provider. It says nothing of what is wrong there. */
export const PAUSED = 'it has failed several times in a row';

/** `signs`: the newest first. */
export function stateOf(signs: readonly Sign[]): ProviderState {
  const heard = signs.filter(({ reason = '' }) => !SILENT.includes(reason));
  const works = heard.findIndex(({ reason = '' }) => !FAULTS.includes(reason));
  const failing = works < 0 ? heard : heard.slice(0, works);
  const first = failing.at(-1);
  const told = failing.find(({ detail }) => detail !== PAUSED) ?? failing[0];
  if (first && told) {
    return {
      state: 'fails',
      since: first.time,
      failures: failing.length,
      reason: told.reason ?? '',
      detail: told.detail,
    };
  }
  const last = heard[works];
  return last ? { state: 'works', since: last.time } : { state: 'unused' };
}
