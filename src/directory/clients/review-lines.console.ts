import type { ConsoleContext } from '../../operators/console-frame/page.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Values } from '../fields/form.console.ts';
import { updateClient } from './operations.ts';
import { reviewText } from './review.console.text.ts';
import { type Question, questionsOf, type Reviewed } from './review.rules.ts';

/** What a security review would question, a line each with the button that settles it. `path`: of the review of this client. */
export function reviewLines({ locale, can }: ConsoleContext, client: Values, path: string): Html | false {
  const open = questionsOf(client as unknown as Reviewed);
  if (open.length === 0) return false;
  const text = reviewText[locale];
  // The metadata of a client that publishes it itself is changed there.
  const canSettle = can(updateClient) && client.origin !== 'client_id_metadata';
  const lines = open.map(
    each =>
      html`<li><p>${text.questions[each].line}</p>${canSettle && settleForm(path, each, html`<button type="submit" class="quiet">${text.questions[each].button}</button>`)}</li>\n`,
  );
  return html`<ul class="review" aria-label="${text.label}">
${lines}</ul>\n`;
}

/** Sends the question; what is in the form beside it says more. */
export function settleForm(path: string, question: Question, rest: Html): Html {
  return html`<form method="post" action="${path}"><input type="hidden" name="question" value="${question}">${rest}</form>`;
}
