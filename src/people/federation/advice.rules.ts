import { BY_KIND } from './fault-kinds.text.rules.ts';
import { type Advice, advice, INVALID, OTHER_CODE, REFUSED, UNAVAILABLE } from './known-faults.text.rules.ts';
import { toldInChinese } from './told-faults.text.rules.ts';

/** Pure: what an operator does about what a provider said, or about a check that failed. For explanations, trials and the console. */
export interface ToldFault {
  readonly kind: string;
  /** The error code of the provider, or which check failed. */
  readonly reason: string;
}

export function adviceOn({ kind, reason }: ToldFault): Advice {
  return known({ kind, reason }) ?? told(reason) ?? { ...(BY_KIND[kind] ?? OTHER_CODE), isGeneral: true };
}

function known({ kind, reason }: ToldFault): Advice | undefined {
  if (kind === 'refused' && Object.hasOwn(REFUSED, reason)) return REFUSED[reason];
  const rules = kind === 'unavailable' ? UNAVAILABLE : kind === 'invalid' ? INVALID : [];
  return rules.find(([pattern]) => pattern.test(reason))?.[1];
}

/** A reason that says what to do has that behind a colon. */
function told(reason: string): Advice | undefined {
  const [what = '', ...rest] = reason.split(': ');
  const todo = rest.join(': ');
  const english = [sentence(what), sentence(todo)] as const;
  return todo.includes(' ') ? advice(english, toldInChinese(reason) ?? english) : undefined;
}

export function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(begun) ? begun : `${begun}.`;
}
