import { MIN_PASSWORD_LENGTH } from '../../directory/applications/rules.ts';
import type { Reply } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { textFor } from '../../platform/ui/text.ts';
import { passwordFaultText } from './fault-text.ts';
import type { PasswordFault } from './password.rules.ts';

/** The pages of a forgotten password. */
const words = {
  en: {
    forgot: 'Forgot your password?',
    forgotIntro: 'Tell us who you are. We send a link to your e-mail address, with which you can set a new password.',
    send: 'Send the link',
    missing: 'Enter your user name, your e-mail address or your phone number.',
    sent: 'Look into your mailbox',
    sentIntro:
      'If there is an account of this name with a confirmed e-mail address, a mail with a link is on its way. The link works once, for 30 minutes.',
    sentHint: 'No mail? Check the name that you typed and your spam folder, then ask again.',
    again: 'Ask again',
    choose: 'Set a new password',
    chooseFor: (username: string) => `A new password for ${username}. You will be signed out everywhere.`,
    welcome: 'Welcome',
    welcomeFor: (username: string) => `Your user name is ${username}. Choose a password to begin.`,
    password: 'New password',
    length: (min: number) => `At least ${min} characters.`,
    save: 'Save the password',
    fault: (text: string) => `This password ${text}.`,
    done: 'Your password is set',
    doneIntro: 'You are signed out everywhere. Go back to your application and sign in with the new password.',
    ready: 'Your account is ready',
    readyIntro: 'Your password is set, and your e-mail address is confirmed. Go to your application and sign in.',
    account: 'Sign in to your account',
    resume: 'Go on and sign in',
  },
  zh: {
    forgot: '忘记密码？',
    forgotIntro: '请告诉我们您是谁。我们会向您的邮箱发送一个链接，您可以用它设置新密码。',
    send: '发送链接',
    missing: '请输入用户名、邮箱或手机号。',
    sent: '请查看您的邮箱',
    sentIntro: '如果存在使用此名称且邮箱已验证的账户，我们已发出带有链接的邮件。该链接只能使用一次，30 分钟内有效。',
    sentHint: '没有收到邮件？请检查您输入的名称和垃圾邮件文件夹，然后重新请求。',
    again: '重新请求',
    choose: '设置新密码',
    chooseFor: (username: string) => `为 ${username} 设置新密码。您将在所有地方退出登录。`,
    welcome: '欢迎',
    welcomeFor: (username: string) => `您的用户名是 ${username}。请设置密码以开始使用。`,
    password: '新密码',
    length: (min: number) => `至少 ${min} 个字符。`,
    save: '保存密码',
    fault: (text: string) => `此密码${text}。`,
    done: '密码已设置',
    doneIntro: '您已在所有地方退出登录。请返回您的应用，使用新密码登录。',
    ready: '您的账户已就绪',
    readyIntro: '密码已设置，邮箱已验证。请前往您的应用并登录。',
    account: '登录您的账户',
    resume: '继续登录',
  },
} as const;

interface ForgotView {
  readonly locale: Locale;
  readonly isMissing?: boolean;
  /** The sealed sign-in that the person came from. */
  readonly pending?: string | undefined;
}

export function forgotPasswordPage({ locale, isMissing = false, pending }: ForgotView): Reply {
  const text = words[locale];
  return passwordPage(
    locale,
    text.forgot,
    html`<p>${text.forgotIntro}</p>
${isMissing && html`<p class="alert" role="alert" id="error">${text.missing}</p>\n`}<form method="post" action="/forgot-password" data-once>
${pending !== undefined && html`<input type="hidden" name="pending" value="${pending}">\n`}<label for="username">${textFor(locale).username}</label>
<div class="field"><input id="username" name="username" type="text" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus${isMissing && INVALID}></div>
<button type="submit">${text.send}</button>
</form>`,
    isMissing ? 400 : 200,
  );
}

/** The same for every name. */
export function linkSentPage(locale: Locale): Reply {
  const text = words[locale];
  return passwordPage(
    locale,
    text.sent,
    html`<p>${text.sentIntro}</p>
<p>${text.sentHint}</p>
<p><a href="/forgot-password">${text.again}</a></p>`,
  );
}

interface ResetView {
  readonly locale: Locale;
  readonly token: string;
  readonly username: string;
  /** A first password: the user was invited. */
  readonly isInvitation: boolean;
  readonly minLength?: number | undefined;
  readonly fault?: PasswordFault;
}

export function resetPasswordPage({ locale, token, username, isInvitation, minLength, fault }: ResetView): Reply {
  const text = words[locale];
  const { showPassword, hidePassword } = textFor(locale);
  return passwordPage(
    locale,
    isInvitation ? text.welcome : text.choose,
    html`<p>${isInvitation ? text.welcomeFor(username) : text.chooseFor(username)}</p>
${fault && html`<p class="alert" role="alert" id="error">${text.fault(passwordFaultText(fault, locale))}</p>\n`}<form method="post" action="/reset-password" data-once>
<input type="hidden" name="token" value="${token}">
<div hidden><input type="text" autocomplete="username" value="${username}" readonly></div>
<label for="password">${text.password}</label>
<div class="field" data-reveal data-show="${showPassword}" data-hide="${hidePassword}">
<input id="password" name="password" type="password" autocomplete="new-password" required autofocus${fault ? INVALID : html` aria-describedby="length"`}>
</div>
<p class="muted" id="length">${text.length(minLength ?? MIN_PASSWORD_LENGTH)}</p>
<button type="submit">${text.save}</button>
</form>`,
    fault ? 400 : 200,
  );
}

interface PasswordSetView {
  readonly locale: Locale;
  readonly isInvitation: boolean;
  /** Where the sign-in goes on from which the person came. */
  readonly resume: string | undefined;
}

export function passwordSetPage({ locale, isInvitation, resume }: PasswordSetView): Reply {
  const text = words[locale];
  return passwordPage(
    locale,
    isInvitation ? text.ready : text.done,
    html`<p>${isInvitation ? text.readyIntro : text.doneIntro}</p>
<p><a href="${resume ?? '/account'}">${resume === undefined ? text.account : text.resume}</a></p>`,
  );
}

const INVALID = html` aria-invalid="true" aria-describedby="error"`;

function passwordPage(locale: Locale, title: string, content: Html, status = 200): Reply {
  return page({ locale, title, status, brand: { name: 'Gatehouse' }, body: html`\n<h1>${title}</h1>\n${content}` });
}
