import type { Reply } from '../../platform/http/message.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { timeText } from '../../platform/ui/time-text.ts';
import { keepAccountText } from './text.ts';

interface KeepAccountView {
  readonly locale: Locale;
  readonly brand: Brand;
  /** The sealed pending request, carried through the form. */
  readonly pending: string;
  readonly redirectUri: string | undefined;
  readonly dueAt: number;
}

export function keepAccountPage({ locale, brand, pending, redirectUri, dueAt }: KeepAccountView): Reply {
  const text = keepAccountText[locale];
  const due = new Date(dueAt * 1000);
  return page({
    locale,
    brand,
    title: text.title,
    formTarget: redirectUri,
    inPopup: true,
    body: html`
<h1>${text.title}</h1>
<p>${text.on(html`<time datetime="${due.toISOString()}">${timeText(locale, due)}</time>`)}</p>
<p>${text.choice}</p>
<form method="post" action="/login/keep-account" data-once>
<input type="hidden" name="pending" value="${pending}">
<button type="submit" name="action" value="keep">${text.keep}</button>
</form>
<form method="post" action="/login/keep-account" class="secondary">
<input type="hidden" name="pending" value="${pending}">
<button type="submit" name="action" value="cancel" class="quiet">${text.leave}</button>
</form>`,
  });
}
