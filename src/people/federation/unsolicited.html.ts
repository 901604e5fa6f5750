import type { Reply } from '../../platform/http/message.ts';
import { html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import { federationText } from './text.ts';

interface UnsolicitedView {
  readonly locale: Locale;
  readonly id: string;
  readonly name: string;
  /** By which the person knows the account at the provider. */
  readonly label: string;
  /** Both sealed, carried through the form. */
  readonly answer: string;
  readonly pending: string;
}

export function unsolicitedPage({ locale, id, name, label, answer, pending }: UnsolicitedView): Reply {
  const text = federationText[locale];
  return page({
    locale,
    title: text.unsolicitedTitle,
    body: html`
<h1>${text.unsolicitedTitle}</h1>
<p>${text.unsolicited(name, label)}</p>
<p>${text.unsolicitedLeave}</p>
<form method="post" action="/login/provider/${id}/accept" data-once>
<input type="hidden" name="answer" value="${answer}">
<input type="hidden" name="pending" value="${pending}">
<button type="submit">${sharedText[locale].continue}</button>
</form>`,
  });
}
