import type { Reply } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import { accountPage, faultLine, invalid } from '../account/frame.ts';
import { CONFIRM_STATUS, type ConfirmFault, confirmFaultText } from './confirm.ts';
import { passwordFaultText } from './fault-text.ts';
import type { PasswordFault } from './password.rules.ts';
import { changePasswordText } from './text.ts';

export interface ChangePasswordView {
  readonly locale: Locale;
  readonly username: string;
  readonly hasPassword: boolean;
  readonly currentFault?: ConfirmFault | undefined;
  readonly fault?: PasswordFault | undefined;
}

export function changePasswordPage({ locale, username, hasPassword, currentFault, fault }: ChangePasswordView): Reply {
  const text = changePasswordText[locale];
  const currentText = currentFault && confirmFaultText(locale, currentFault);
  const nextText = fault && text.fault(passwordFaultText(fault, locale));
  return accountPage({
    locale,
    place: 'security',
    title: hasPassword ? text.change : text.set,
    fault: currentText ?? nextText,
    ...(currentFault ? { status: CONFIRM_STATUS[currentFault.kind], retryAfter: currentFault.retryAfter } : {}),
    content: html`<p>${text.intro}</p>
<form method="post" action="/account/security/password" class="narrow" data-once>
<div hidden><input type="text" autocomplete="username" value="${username}" readonly></div>
${hasPassword && passwordField(locale, 'current_password', text.current, html`autocomplete="current-password"`, currentText, fault === undefined)}${passwordField(
  locale,
  'password',
  text.next,
  html`autocomplete="new-password"`,
  nextText,
  !hasPassword || fault !== undefined,
  text.length,
)}<button type="submit">${text.save}</button>
</form>
<p><a href="/account/security">${sharedText[locale].cancel}</a></p>`,
  });
}

/** A field for a password, with what was wrong with it beside it. */
export function passwordField(
  locale: Locale,
  name: string,
  label: string,
  attributes: Html,
  fault: string | undefined,
  isFirst: boolean,
  hint?: string,
): Html {
  const { showPassword, hidePassword } = sharedText[locale];
  const described = fault === undefined ? hint !== undefined && html` aria-describedby="hint-${name}"` : invalid(name);
  return html`<label for="${name}">${label}</label>
<div class="field" data-reveal data-show="${showPassword}" data-hide="${hidePassword}">
<input id="${name}" name="${name}" type="password" ${attributes} required${isFirst && html` autofocus`}${described}>
</div>
${faultLine(name, fault)}${hint !== undefined && html`<p class="muted" id="hint-${name}">${hint}</p>\n`}`;
}
