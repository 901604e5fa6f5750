import type { Reply } from '../../platform/http/message.ts';
import { encodeParams } from '../../platform/http/params.rules.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { textFor } from '../../platform/ui/text.ts';
import { passwordFaultText } from '../password/fault-text.ts';
import type { PasswordFault } from '../password/password.rules.ts';

/** What people type who make an account: on /signup, and on the page of the link in a mail. */
const words = {
  en: {
    title: 'Create an account',
    email: 'E-mail address',
    emailHint: 'We send a code to it.',
    username: 'User name',
    usernameHint: 'Optional. Without one, you sign in with your e-mail address.',
    password: 'Password',
    length: (min: number) => `At least ${min} characters.`,
    create: 'Create account',
    signIn: 'I have an account: sign in',
    emailFault: 'Enter an e-mail address, such as name@example.com.',
    usernameFault: 'A user name has at most 64 characters and at least one letter, and no @.',
    usernameTaken: 'This user name is taken. Choose another one.',
    passwordFault: (text: string) => `This password ${text}.`,
  },
  zh: {
    title: '创建账户',
    email: '电子邮箱',
    emailHint: '我们会向该邮箱发送验证码。',
    username: '用户名',
    usernameHint: '可选。不填写时，使用电子邮箱登录。',
    password: '密码',
    length: (min: number) => `至少 ${min} 个字符。`,
    create: '创建账户',
    signIn: '我已有账户：登录',
    emailFault: '请输入电子邮箱，例如 name@example.com。',
    usernameFault: '用户名最多 64 个字符，至少包含一个字母，且不能包含 @。',
    usernameTaken: '此用户名已被使用。请选择其他用户名。',
    passwordFault: (text: string) => `此密码${text}。`,
  },
} as const;

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
  const text = words[locale];
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
  const text = words[locale];
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
  const text = words[locale];
  return html`<label for="username">${text.username}</label>
<div class="field"><input id="username" name="username" type="text" autocomplete="username" autocapitalize="none" spellcheck="false"${isRequired && html` required`} value="${value}"${described('username', fault, !isRequired)}${fault?.field === 'username' && AUTOFOCUS}></div>
${!isRequired && html`<p class="muted" id="username-hint">${text.usernameHint}</p>\n`}`;
}

export function passwordField(
  locale: Locale,
  minLength: number,
  fault: SignUpFault | undefined,
  label: string = words[locale].password,
): Html {
  const { showPassword, hidePassword } = textFor(locale);
  return html`<label for="password">${label}</label>
<div class="field" data-reveal data-show="${showPassword}" data-hide="${hidePassword}">
<input id="password" name="password" type="password" autocomplete="new-password" required${described('password', fault)}${fault?.field === 'password' && AUTOFOCUS}>
</div>
<p class="muted" id="password-hint">${words[locale].length(minLength)}</p>
`;
}

function described(field: SignUpFault['field'], fault: SignUpFault | undefined, hasHint = true): Html {
  const isFaulty = fault?.field === field;
  const by = [...(isFaulty ? ['error'] : []), ...(hasHint ? [`${field}-hint`] : [])].join(' ');
  return html`${isFaulty && html` aria-invalid="true"`}${by !== '' && html` aria-describedby="${by}"`}`;
}

const AUTOFOCUS = html` autofocus`;
