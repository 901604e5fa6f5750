import { type Answer, isRefusal, type Refusal } from '../../platform/http/message.ts';
import { html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { roles } from '../roles/store.ts';
import { consolePage } from './layout.ts';
import type { ConsoleContext, ConsolePage, View } from './page.ts';
import { reachOf } from './person.ts';
import { consoleText, refusedText } from './text.ts';

/**
 * A "no" about objects and rights is told inside of the console, so that the rail is there to go on with. It says the same of an object
 * that is not there and of one that the operator's role does not reach: a limited operator learns nothing about other applications.
 */
export async function refused(
  context: ConsoleContext,
  page: ConsolePage,
  answer: Answer,
  cookies: string[],
): Promise<Answer> {
  const view = isRefusal(answer) && viewOf(context, answer);
  if (!view) return answer;
  const reply = await consolePage(context, page, view, cookies);
  return { ...reply, error: answer.failure.error, refusal: answer };
}

function viewOf({ locale, operator }: ConsoleContext, { failure }: Refusal): View | undefined {
  const text = refusedText[locale];
  const rights = html`<p>${text.rights(consoleText[locale].roles[operator.role], reachOf(operator.applications, locale))}</p>`;
  const view = (title: string, reason: string): View => ({
    title,
    status: failure.status,
    body: html`<div class="empty"><p>${reason}</p>${rights}<p><a class="button" href="/console">${text.back}</a></p></div>`,
  });
  if (failure.name === 'objectUnknown') {
    return view(text.unknownTitle, operator.applications ? text.unknownOrBeyond : text.unknown);
  }
  if (failure.name === 'roleTooLow') return view(text.roleTitle, text.roleNeeded(roleName(failure.parameter, locale)));
  return undefined;
}

function roleName(needed: string | undefined, locale: OperatorLocale): string {
  const role = roles.find(each => each === needed);
  return role ? consoleText[locale].roles[role] : refusedText[locale].unlimitedOwner;
}
