import type { Reply } from '../../platform/http/message.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import { noAccessText } from './text.ts';

interface NoAccessView {
  readonly locale: Locale;
  readonly brand: Brand;
  /** The sealed pending request, carried through the form. */
  readonly pending: string;
  readonly username: string;
  readonly redirectUri: string;
  /** Whether another account could help: not if the request names the user. */
  readonly offersAnother: boolean;
}

export function noAccessPage(view: NoAccessView): Reply {
  const { locale, brand, pending, username, redirectUri } = view;
  const text = noAccessText[locale];
  return page({
    locale,
    brand,
    title: text.title(brand.name),
    formTarget: redirectUri,
    inPopup: true,
    body: html`
<h1>${text.title(brand.name)}</h1>
<p>${text.account(username, brand.name)}</p>
<p>${text.ask}</p>
<form method="post" action="/login/no-access" data-once>
<input type="hidden" name="pending" value="${pending}">
<button type="submit" name="action" value="back">${text.back}</button>
</form>
${
  view.offersAnother &&
  html`<form method="post" action="/login/no-access" class="secondary">
<input type="hidden" name="pending" value="${pending}">
<button type="submit" name="action" value="another" class="quiet">${sharedText[locale].useAnother}</button>
</form>`
}`,
  });
}
