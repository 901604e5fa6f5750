import { type Answer, redirect } from '../../platform/http/message.ts';
import { type NoticeName, withNotice } from './notices.ts';
import type { ConsoleContext, Faults, Performed, View } from './page.ts';

/** What follows a form that was done: the page that shows the result, and what it says was done. */
export interface Next {
  readonly path: string;
  readonly notice: NoticeName;
}

/** From the outcome of a form to its answer: a redirect to the page that shows the result, or the form again with its faults. */
export async function answerForm<Result>(
  { services }: ConsoleContext,
  performed: Performed<Result>,
  next: Next | ((result: Result) => Next),
  again: (faults: Faults) => Promise<View | Answer> | View,
): Promise<View | Answer> {
  if (performed.kind === 'refused') return performed.refusal;
  if (performed.kind === 'faults') return again(performed.faults);
  const { path, notice } = typeof next === 'function' ? next(performed.value) : next;
  return redirect(`${services.config.baseUrl}${withNotice(path, notice)}`, 303);
}
