import type { Reply } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { alertOf, faultText, passwordField, type SignUpFault, usernameField } from '../sign-up/html.ts';

/** The pages of the link that confirms an address. */
const words = {
  en: {
    title: 'Confirm your e‑mail address',
    intro: (email: string) => `Is ${email} your address? Confirm it only if you asked for this mail.`,
    confirm: 'Confirm the address',
    setUp: 'Set up your account',
    setUpIntro: (email: string) =>
      `Somebody asked for an account for ${email} in another browser. If it was you, choose a password here. If it was not, close this page.`,
    password: 'Password',
    create: 'Create account',
    verified: 'Your address is confirmed',
    verifiedIntro: 'You can close this page and go on where you were.',
    signedUp: 'Your account is ready',
    signedUpIntro: 'Go back to your application and sign in with the password that you have just chosen.',
  },
  zh: {
    title: '确认您的电子邮箱',
    intro: (email: string) => `${email} 是您的邮箱吗？仅在您请求了此邮件时确认。`,
    confirm: '确认邮箱',
    setUp: '设置您的账户',
    setUpIntro: (email: string) =>
      `有人在另一个浏览器中用 ${email} 申请了账户。如果是您本人，请在此设置密码；如果不是，请关闭此页面。`,
    password: '密码',
    create: '创建账户',
    verified: '您的邮箱已确认',
    verifiedIntro: '您可以关闭此页面，并返回之前的页面继续。',
    signedUp: '您的账户已创建',
    signedUpIntro: '请返回您的应用，使用刚才设置的密码登录。',
  },
} as const;

interface LinkView {
  readonly locale: Locale;
  readonly token: string;
  readonly email: string;
}

interface ConfirmView extends LinkView {
  /** The client to which the sign-in goes on after the form. */
  readonly redirectUri: string | undefined;
}

export function confirmAddressPage({ locale, token, email, redirectUri }: ConfirmView): Reply {
  const text = words[locale];
  const content = html`<p>${text.intro(email)}</p>
${form(token, html`<button type="submit" autofocus>${text.confirm}</button>`)}`;
  return linkPage(locale, text.title, content, { redirectUri });
}

interface SetUpView extends LinkView {
  readonly username: string;
  readonly minLength: number;
  readonly fault: SignUpFault | undefined;
}

export function setUpAccountPage({ locale, token, email, username, minLength, fault }: SetUpView): Reply {
  const text = words[locale];
  const fields = html`${usernameField(locale, username, fault)}${passwordField(locale, minLength, fault, text.password)}<button type="submit">${text.create}</button>`;
  const content = html`<p>${text.setUpIntro(email)}</p>
${alertOf(locale, fault)}${form(token, fields)}`;
  return linkPage(locale, text.setUp, content, { message: fault && faultText(locale, fault) });
}

export function addressConfirmedPage(locale: Locale, outcome: 'verified' | 'signedUp'): Reply {
  const text = words[locale];
  return linkPage(locale, text[outcome], html`<p>${text[`${outcome}Intro`]}</p>`);
}

function form(token: string, content: Html): Html {
  return html`<form method="post" action="/confirm-email" data-once>
<input type="hidden" name="token" value="${token}">
${content}
</form>`;
}

interface LinkPage {
  readonly message?: string | undefined;
  readonly redirectUri?: string | undefined;
}

function linkPage(locale: Locale, heading: string, content: Html, { message, redirectUri }: LinkPage = {}): Reply {
  return page({
    formTarget: redirectUri,
    locale,
    title: message === undefined ? heading : `${message} · ${heading}`,
    brand: { name: 'Gatehouse' },
    status: message === undefined ? 200 : 400,
    body: html`\n<h1>${heading}</h1>\n${content}`,
  });
}
