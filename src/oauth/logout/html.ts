import type { Reply } from '../../platform/http/message.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import { logoutText } from './text.ts';

export interface ConfirmLogoutView {
  readonly locale: Locale;
  /** Undefined: the user came without an application. */
  readonly brand: Brand | undefined;
  readonly username: string;
  readonly pending: string | undefined;
  readonly returnTo: string | undefined;
}

export function confirmLogoutPage(view: ConfirmLogoutView): Reply {
  const text = logoutText[view.locale];
  return page({
    locale: view.locale,
    brand: view.brand,
    title: text.signOutTitle,
    inPopup: true,
    formTarget: view.returnTo,
    body: html`
<h1>${text.signOutTitle}</h1>
<p>${text.signOutQuestion(view.username)}</p>
<form method="post" action="/logout" data-once>
${view.pending !== undefined && html`<input type="hidden" name="pending" value="${view.pending}">`}
<button type="submit">${sharedText[view.locale].signOut}</button>
</form>`,
  });
}

export function signedOutPage(locale: Locale): Reply {
  const text = logoutText[locale];
  return page({
    locale,
    title: text.signedOutTitle,
    inPopup: true,
    body: html`
<h1>${text.signedOutTitle}</h1>
<p>${text.signedOut}</p>`,
  });
}
