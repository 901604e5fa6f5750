import type { Reply } from '../../platform/http/message.ts';
import { encodeParams } from '../../platform/http/params.rules.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import { passwordFaultText } from '../password/fault-text.ts';
import type { PasswordFault } from '../password/password.rules.ts';
import { signUpText } from './text.ts';

export type SignUpFault =
  | { readonly field: 'email' }
  | { readonly field: 'username'; readonly isTaken?: boolean }
  | { readonly field: 'password'; readonly fault: PasswordFault };

interface SignUpView {
  readonly locale: Locale;
  readonly brand: Brand;
  readonly pending: string;
  readonly redirectUri: string;
  readonly minLength: number;
  readonly email: string;
  readonly username: string;
  readonly fault: SignUpFault | undefined;
}

export function signUpPage(view: SignUpView): Reply {
  const { locale, fault } = view;
  const text = signUpText[locale];
  const focus = fault?.field ?? 'email';
  return page({
    locale,
    brand: view.brand,
    title: fault ? `${faultText(locale, fault)} · ${text.title}` : text.title,
    formTarget: view.redirectUri,
    inPopup: true,
    status: fault ? 400 : 200,
    body: html`
<h1>${text.title}</h1>
${alertOf(locale, fault)}<form method="post" action="/signup" data-once>
<input type="hidden" name="pending" value="${view.pending}">
<label for="email">${text.email}</label>
<div class="field"><input id="email" name="email" type="email" autocomplete="email" required value="${view.email}"${described('email', fault)}${focus === 'email' && AUTOFOCUS}></div>
<p class="muted" id="email-hint">${text.emailHint}</p>
${usernameField(locale, view.username, fault)}${passwordField(locale, view.minLength, fault)}<button type="submit">${text.create}</button>
</form>
<p class="forgot"><a href="/login?${encodeParams([['pending', view.pending]])}">${text.signIn}</a></p>`,
  });
}

export function faultText(locale: Locale, fault: SignUpFault): string {
  const text = signUpText[locale];
  switch (fault.field) {
    case 'email':
      return text.emailFault;
    case 'username':
      return fault.isTaken ? text.usernameTaken : text.usernameFault;
    case 'password':
      return text.passwordFault(passwordFaultText(fault.fault, locale));
  }
}

export function alertOf(locale: Locale, fault: SignUpFault | undefined): Html | false {
  return fault !== undefined && html`<p class="alert" role="alert" id="error">${faultText(locale, fault)}</p>\n`;
}

export function usernameField(locale: Locale, value: string, fault: SignUpFault | undefined, isRequired = false): Html {
  const text = signUpText[locale];
  return html`<label for="username">${text.username}</label>
<div class="field"><input id="username" name="username" type="text" autocomplete="username" autocapitalize="none" spellcheck="false"${isRequired && html` required`} value="${value}"${described('username', fault, !isRequired)}${fault?.field === 'username' && AUTOFOCUS}></div>
${!isRequired && html`<p class="muted" id="username-hint">${text.usernameHint}</p>\n`}`;
}

export function passwordField(
  locale: Locale,
  minLength: number,
  fault: SignUpFault | undefined,
  label: string = signUpText[locale].password,
): Html {
  const { showPassword, hidePassword } = sharedText[locale];
  return html`<label for="password">${label}</label>
<div class="field" data-reveal data-show="${showPassword}" data-hide="${hidePassword}">
<input id="password" name="password" type="password" autocomplete="new-password" required${described('password', fault)}${fault?.field === 'password' && AUTOFOCUS}>
</div>
<p class="muted" id="password-hint">${signUpText[locale].length(minLength)}</p>
`;
}

function described(field: SignUpFault['field'], fault: SignUpFault | undefined, hasHint = true): Html {
  const isFaulty = fault?.field === field;
  const by = [...(isFaulty ? ['error'] : []), ...(hasHint ? [`${field}-hint`] : [])].join(' ');
  return html`${isFaulty && html` aria-invalid="true"`}${by !== '' && html` aria-describedby="${by}"`}`;
}

const AUTOFOCUS = html` autofocus`;
