import { type Answer, redirect } from '../message.ts';
import { type Html, html } from '../pages/html.ts';
import type { ConsoleContext, Faults, Performed, View } from './page.ts';
import { consoleText } from './text.ts';

/** From the outcome of a form to its answer: a redirect to the page that shows the result, or the form again with its faults. */
export async function answerForm(
  { services }: ConsoleContext,
  performed: Performed<unknown>,
  path: string,
  again: (faults: Faults) => Promise<View | Answer> | View,
): Promise<View | Answer> {
  if (performed.kind === 'refused') return performed.refusal;
  if (performed.kind === 'faults') return again(performed.faults);
  return redirect(`${services.config.baseUrl}${path}`, 303);
}

/** After the redirect: `done` in the query. */
export function doneNotice({ locale, query }: ConsoleContext): Html | false {
  return query.get('done') !== undefined && html`<p class="notice" role="status">${consoleText(locale).done}</p>`;
}
