import { etagOf } from '../../operators/api/operation.ts';
import { answerForm } from '../../operators/console-frame/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  type View,
} from '../../operators/console-frame/page.ts';
import { faultSummary } from '../../operators/console-frame/parts.ts';
import { consoleText } from '../../operators/console-frame/text.ts';
import type { Answer } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { html } from '../../platform/ui/html.ts';
import type { Values } from '../fields/form.console.ts';
import { clientFrame, clientPath, withClient } from './frame.console.ts';
import { updateClient } from './operations.ts';
import { reviewText } from './review.console.text.ts';
import { canBreak, type Question, questionsOf, type Reviewed, settlementOf } from './review.rules.ts';
import { settleForm } from './review-lines.console.ts';

/**
 * …/clients/{client_id}/review: settles one question of a security review (review.rules.ts). What can stop the client from working is
 * confirmed first, on the answer to the first click; the confirmation holds for the client as the operator saw it.
 */
export const clientReview: ConsolePage = {
  place: 'applications',
  show: context => withClient(context, client => overview(context, client)),
  submit: (context, form) => withClient(context, client => settle(context, client, form)),
};

async function settle(context: ConsoleContext, client: Values, form: Params): Promise<View | Answer> {
  const reviewed = client as unknown as Reviewed;
  const question = questionsOf(reviewed).find(each => each === form.get('question'));
  if (question === undefined) return overview(context, client);
  const confirmed = form.get('etag');
  if (confirmed === undefined && canBreak(question, reviewed))
    return confirmation(context, client, question, NO_FAULTS);
  const saved = await context.perform(
    updateClient,
    { body: settlementOf(question, reviewed) },
    confirmed ?? etagOf(client),
  );
  const { code = '', client_id = '' } = context.params;
  const next = { path: clientPath(code, client_id), notice: 'saved' } as const;
  return answerForm(context, saved, next, faults => confirmation(context, client, question, faults));
}

function confirmation(context: ConsoleContext, client: Values, question: Question, faults: Faults): View {
  const { locale, params } = context;
  const { code = '', client_id = '' } = params;
  const text = reviewText[locale];
  const { button, line, breaks } = text.questions[question];
  const buttons = html`<input type="hidden" name="etag" value="${etagOf(client)}"><button type="submit">${button}</button> <a class="button quiet" href="${clientPath(code, client_id)}">${consoleText[locale].cancel}</a>`;
  const body = html`<section><h2>${text.title(button)}</h2>${faultSummary(locale, faults)}<p>${line}</p><p>${breaks} ${text.current}</p>
${settleForm(clientPath(code, client_id, 'review'), question, buttons)}</section>`;
  return clientFrame(context, client, 'review', body, faults.size === 0 ? 200 : 400);
}

/** By its address: the lines are in the frame. */
function overview(context: ConsoleContext, client: Values): View {
  const text = reviewText[context.locale];
  const isSettled = questionsOf(client as unknown as Reviewed).length === 0;
  const body = html`${isSettled && html`<section><p>${text.nothing}</p></section>`}`;
  return clientFrame(context, client, isSettled ? 'review' : 'connect', body);
}
