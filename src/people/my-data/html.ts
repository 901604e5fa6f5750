import type { Reply } from '../../platform/http/message.ts';
import { html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import { accountPage, time } from '../account/frame.ts';
import { passwordField } from '../password/change.html.ts';
import { CONFIRM_STATUS, type ConfirmFault, confirmFaultText } from '../password/confirm.ts';
import { myDataText } from './text.ts';

export function dataPage(locale: Locale, graceDays: number): Reply {
  const text = myDataText[locale];
  return accountPage({
    locale,
    place: 'data',
    title: text.title,
    content: html`<section>
<h2>${text.download}</h2>
<p>${text.downloadIntro}</p>
<form method="post" action="/account/data"><button type="submit" name="action" value="download" class="small">${text.download}</button></form>
</section>
<section>
<h2>${text.remove}</h2>
<p>${text.removeIntro(graceDays)}</p>
<p><a class="button small" href="/account/data/delete">${text.goOn}</a></p>
</section>`,
  });
}

interface DeleteView {
  readonly locale: Locale;
  readonly username: string;
  readonly hasPassword: boolean;
  readonly graceDays: number;
  readonly fault?: ConfirmFault | 'lastOwner' | undefined;
}

export function deleteAccountPage({ locale, username, hasPassword, graceDays, fault }: DeleteView): Reply {
  const text = myDataText[locale];
  const isLastOwner = fault === 'lastOwner';
  const message = fault && (isLastOwner ? text.lastOwner : confirmFaultText(locale, fault));
  const status = fault === undefined ? 200 : isLastOwner ? 409 : CONFIRM_STATUS[fault.kind];
  return accountPage({
    locale,
    place: 'data',
    title: text.remove,
    fault: message,
    status,
    retryAfter: isLastOwner ? undefined : fault?.retryAfter,
    content: html`<p>${text.removeIntro(graceDays)}</p>
${isLastOwner && html`<p class="alert" role="alert">${message}</p>\n`}<p>${hasPassword ? text.confirm : text.confirmWithout}</p>
<form method="post" action="/account/data/delete" class="narrow" data-once>
<div hidden><input type="text" autocomplete="username" value="${username}" readonly></div>
${
  hasPassword &&
  passwordField(
    locale,
    'password',
    text.password,
    html`autocomplete="current-password"`,
    isLastOwner ? undefined : message,
    true,
  )
}<button type="submit" class="danger">${text.remove}</button>
</form>
<p><a href="/account/data">${sharedText[locale].cancel}</a></p>`,
  });
}

export function accountLeftPage(locale: Locale, dueAt: number): Reply {
  const text = myDataText[locale];
  return page({
    locale,
    title: text.gone,
    body: html`
<h1>${text.gone}</h1>
<p>${text.goneOn} ${time(locale, dueAt)}</p>
<p>${text.goneIntro}</p>`,
  });
}
