import type { Reply } from '../../platform/http/message.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import { signInText } from './text.ts';

export interface SelectAccountView {
  readonly locale: Locale;
  readonly brand: Brand;
  readonly pending: string;
  readonly username: string;
  readonly redirectUri: string;
}

export function selectAccountPage(view: SelectAccountView): Reply {
  const text = signInText[view.locale];
  return page({
    locale: view.locale,
    brand: view.brand,
    title: text.chooseAccount(view.brand.name),
    inPopup: true,
    formTarget: view.redirectUri,
    body: html`
<h1>${text.chooseAccount(view.brand.name)}</h1>
<form method="post" action="/login" data-once>
<input type="hidden" name="pending" value="${view.pending}">
<button type="submit" name="action" value="continue">${text.continueAs(view.username)}</button>
</form>
<form method="post" action="/login" class="secondary">
<input type="hidden" name="pending" value="${view.pending}">
<button type="submit" name="action" value="another" class="quiet">${sharedText[view.locale].useAnother}</button>
</form>`,
  });
}
