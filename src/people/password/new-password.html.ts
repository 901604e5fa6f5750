import { MIN_PASSWORD_LENGTH } from '../../directory/applications/rules.ts';
import type { Reply } from '../../platform/http/message.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import { passwordFaultText } from './fault-text.ts';
import type { PasswordFault } from './password.rules.ts';
import { newPasswordText } from './text.ts';

interface NewPasswordView {
  readonly locale: Locale;
  readonly brand: Brand;
  readonly pending: string;
  readonly redirectUri: string | undefined;
  readonly minLength: number | undefined;
  readonly username: string;
  readonly fault: PasswordFault | 'same' | undefined;
}

export function newPasswordPage(view: NewPasswordView): Reply {
  const { locale, fault, minLength = MIN_PASSWORD_LENGTH } = view;
  const text = newPasswordText[locale];
  const { showPassword, hidePassword, cancel } = sharedText[locale];
  const message = fault && text.fault(fault === 'same' ? text.same : passwordFaultText(fault, locale));
  return page({
    locale,
    brand: view.brand,
    title: message === undefined ? text.title : `${message} · ${text.title}`,
    formTarget: view.redirectUri,
    inPopup: true,
    status: message === undefined ? 200 : 400,
    body: html`
<h1>${text.title}</h1>
<p>${text.intro(view.username)}</p>
${message !== undefined && html`<p class="alert" role="alert" id="error">${message}</p>\n`}<form method="post" action="/login/new-password" data-once>
<input type="hidden" name="pending" value="${view.pending}">
<div hidden><input type="text" autocomplete="username" value="${view.username}" readonly></div>
<label for="password">${text.label}</label>
<div class="field" data-reveal data-show="${showPassword}" data-hide="${hidePassword}">
<input id="password" name="password" type="password" autocomplete="new-password" required autofocus${message === undefined ? html` aria-describedby="length"` : html` aria-invalid="true" aria-describedby="error length"`}>
</div>
<p class="muted" id="length">${text.length(minLength)}</p>
<button type="submit">${text.save}</button>
</form>
<form method="post" action="/login/new-password" class="secondary">
<input type="hidden" name="pending" value="${view.pending}">
<button type="submit" name="action" value="cancel" class="quiet">${cancel}</button>
</form>`,
  });
}
