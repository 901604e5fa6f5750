import type { Reply } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { textFor } from '../../platform/ui/text.ts';

/** The pages of the user's e-mail address, and of the link that undoes a change of it. */
const words = {
  en: {
    title: 'E-mail address',
    present: (email: string) => `Your address is ${email}.`,
    none: 'You have no e-mail address here.',
    verified: 'It is confirmed.',
    unverified: 'It is not confirmed.',
    verify: 'Confirm this address',
    another: 'New e-mail address',
    hint: 'We send a code to it. Your address changes when you have typed the code.',
    send: 'Send the code',
    wrong: 'Enter an e-mail address, such as name@example.com.',
    same: 'This is your address already.',
    noMail: 'This server sends no mail, so the address cannot be changed here.',
    codeTitle: 'Look into your mail',
    codeIntro: (email: string) =>
      `We have sent a mail to ${email}. Type the code of the mail here, or open its link. Both work for 30 minutes.`,
    code: 'Code of the mail',
    codeFaults: {
      wrong: 'That code is not right. Use the newest mail, and check each letter and digit.',
      missing: 'Enter the code of the mail.',
    },
    back: 'Use another address',
    undo: 'Undo the change',
    undoIntro: (username: string, email: string) =>
      `${username} gets the address ${email} back. Everybody who is signed in as ${username} is signed out. The password is removed, and so are the passkeys, the authenticator app and the recovery codes that were added since the change. We send a link to ${email} with which you can set a new password.`,
    undone: 'You have your address back',
    undoneIntro: 'Everybody is signed out. Look into your mail: the link to a new password works for 30 minutes.',
  },
  zh: {
    title: '电子邮箱',
    present: (email: string) => `您的邮箱是 ${email}。`,
    none: '您尚未设置电子邮箱。',
    verified: '已确认。',
    unverified: '尚未确认。',
    verify: '确认此邮箱',
    another: '新的电子邮箱',
    hint: '我们会向它发送验证码。输入验证码后邮箱才会更改。',
    send: '发送验证码',
    wrong: '请输入电子邮箱，例如 name@example.com。',
    same: '这已经是您的邮箱。',
    noMail: '此服务器不发送邮件，因此无法在此更改邮箱。',
    codeTitle: '请查看您的邮箱',
    codeIntro: (email: string) =>
      `我们已向 ${email} 发送邮件。请在此输入邮件中的验证码，或打开其中的链接。30 分钟内有效。`,
    code: '邮件中的验证码',
    codeFaults: {
      wrong: '验证码不正确。请使用最新的邮件，并检查每个字母和数字。',
      missing: '请输入邮件中的验证码。',
    },
    back: '使用其他邮箱',
    undo: '撤销更改',
    undoIntro: (username: string, email: string) =>
      `${username} 将恢复邮箱 ${email}。以 ${username} 登录的所有会话都会结束，密码会被移除，更改之后添加的通行密钥、身份验证器应用和恢复码也会被移除。我们会向 ${email} 发送设置新密码的链接。`,
    undone: '您的邮箱已恢复',
    undoneIntro: '所有会话均已结束。请查看您的邮箱：设置新密码的链接 30 分钟内有效。',
  },
} as const;

interface EmailView {
  readonly locale: Locale;
  readonly email: string | undefined;
  readonly emailVerified: boolean;
  readonly sendsMail: boolean;
  readonly fault: 'wrong' | 'same' | undefined;
  readonly typed: string;
}

export function emailPage(view: EmailView): Reply {
  const { locale, email, emailVerified, sendsMail, fault, typed } = view;
  const text = words[locale];
  const described = fault ? html` aria-invalid="true" aria-describedby="error hint"` : html` aria-describedby="hint"`;
  const verify = html`<form method="post" action="/account/email" data-once>
<button type="submit" name="action" value="verify" class="quiet">${text.verify}</button>
</form>`;
  const change = html`${fault && html`<p class="alert" role="alert" id="error">${text[fault]}</p>\n`}<form method="post" action="/account/email" data-once>
<label for="email">${text.another}</label>
<div class="field"><input id="email" name="email" type="email" autocomplete="email" required value="${typed}"${described}></div>
<p class="muted" id="hint">${text.hint}</p>
<button type="submit">${text.send}</button>
</form>`;
  const state =
    email === undefined ? text.none : `${text.present(email)} ${emailVerified ? text.verified : text.unverified}`;
  return ownPage(
    locale,
    text.title,
    html`<p>${state}</p>
${sendsMail && email !== undefined && !emailVerified && verify}
${sendsMail ? change : html`<p>${text.noMail}</p>`}
<p class="forgot"><a href="/account">${textFor(locale).backToAccount}</a></p>`,
    fault && text[fault],
  );
}

interface ChangeCodeView {
  readonly locale: Locale;
  readonly sealed: string;
  readonly email: string;
  readonly error?: 'wrong' | 'missing';
}

export function changeCodePage({ locale, sealed, email, error }: ChangeCodeView): Reply {
  const text = words[locale];
  const message = error && text.codeFaults[error];
  const described = message === undefined ? html` aria-describedby="intro"` : INVALID;
  return ownPage(
    locale,
    text.codeTitle,
    html`<p id="intro">${text.codeIntro(email)}</p>
${message !== undefined && html`<p class="alert" role="alert" id="error">${message}</p>\n`}<form method="post" action="/account/email" data-once>
<input type="hidden" name="change" value="${sealed}">
<label for="code">${text.code}</label>
<div class="field"><input id="code" name="code" type="text" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" required autofocus${described}></div>
<button type="submit">${textFor(locale).confirm}</button>
</form>
<p class="forgot"><a href="/account/email">${text.back}</a></p>`,
    message,
  );
}

const INVALID = html` aria-invalid="true" aria-describedby="error intro"`;

interface UndoView {
  readonly locale: Locale;
  readonly token: string;
  readonly username: string;
  readonly email: string;
}

export function undoEmailPage({ locale, token, username, email }: UndoView): Reply {
  const text = words[locale];
  return ownPage(
    locale,
    text.undo,
    html`<p>${text.undoIntro(username, email)}</p>
<form method="post" action="/undo-email" data-once>
<input type="hidden" name="token" value="${token}">
<button type="submit" autofocus>${text.undo}</button>
</form>`,
  );
}

export function emailUndonePage(locale: Locale): Reply {
  const text = words[locale];
  return ownPage(locale, text.undone, html`<p>${text.undoneIntro}</p>`);
}

function ownPage(locale: Locale, title: string, content: Html, message?: string): Reply {
  return page({
    locale,
    title: message === undefined ? title : `${message} · ${title}`,
    status: message === undefined ? 200 : 400,
    brand: { name: 'Gatehouse' },
    body: html`\n<h1>${title}</h1>\n${content}`,
  });
}
