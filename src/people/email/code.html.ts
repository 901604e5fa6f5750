import type { Reply } from '../../platform/http/message.ts';
import { encodeParams } from '../../platform/http/params.rules.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { textFor } from '../../platform/ui/text.ts';
import { alertOf, faultText, type SignUpFault, usernameField } from '../sign-up/html.ts';

/** The pages of /login/verify-email. */
const words = {
  en: {
    title: 'Look into your mail',
    intro: (email: string) =>
      `We have sent a mail to ${email}. Type the code of the mail here, or open its link. Both work for 30 minutes.`,
    code: 'Code of the mail',
    wrong: 'That code is not right. Use the newest mail, and check each letter and digit.',
    missing: 'Enter the code of the mail.',
    again: 'Send another mail',
    hint: 'No mail? Look into your spam folder first.',
    retype: 'Use another address',
    addressTitle: 'Confirm your e‑mail address',
    addressIntro: 'This application needs your e-mail address. We send a code to it.',
    address: 'E-mail address',
    send: 'Send the code',
    verifiedTitle: 'Your address is confirmed',
    verifiedIntro: 'You can go on.',
    nameTitle: 'Choose a user name',
    nameIntro: 'Your address is confirmed. Only the user name is missing.',
    save: 'Create account',
  },
  zh: {
    title: '请查看您的邮箱',
    intro: (email: string) => `我们已向 ${email} 发送邮件。请在此输入邮件中的验证码，或打开其中的链接。30 分钟内有效。`,
    code: '邮件中的验证码',
    wrong: '验证码不正确。请使用最新的邮件，并检查每个字母和数字。',
    missing: '请输入邮件中的验证码。',
    again: '重新发送邮件',
    hint: '没有收到邮件？请先查看垃圾邮件文件夹。',
    retype: '使用其他邮箱',
    addressTitle: '确认您的电子邮箱',
    addressIntro: '此应用需要您的电子邮箱。我们会向它发送验证码。',
    address: '电子邮箱',
    send: '发送验证码',
    verifiedTitle: '您的邮箱已确认',
    verifiedIntro: '您可以继续。',
    nameTitle: '选择用户名',
    nameIntro: '您的邮箱已确认，只差用户名。',
    save: '创建账户',
  },
} as const;

export type EmailCodeError = 'wrong' | 'missing';

interface Frame {
  readonly locale: Locale;
  readonly brand: Brand;
  /** The sealed pending request, carried through the form. */
  readonly pending: string;
  readonly redirectUri: string | undefined;
}

interface CodeView extends Frame {
  readonly email: string;
  /** Where the address was typed. */
  readonly retype: { readonly path: string; readonly pending: string } | undefined;
  readonly error: EmailCodeError | undefined;
}

export function emailCodePage(view: CodeView): Reply {
  const { locale, retype, error } = view;
  const text = words[locale];
  const invalid = html` aria-invalid="true" aria-describedby="error intro"`;
  return stepPage(
    view,
    text.title,
    error && text[error],
    html`<p id="intro">${text.intro(view.email)}</p>
${error && html`<p class="alert" role="alert" id="error">${text[error]}</p>\n`}${form(
  view,
  html`<label for="code">${text.code}</label>
<div class="field"><input id="code" name="code" type="text" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" required autofocus${error ? invalid : html` aria-describedby="intro"`}></div>
<button type="submit">${textFor(locale).continue}</button>`,
)}
<p class="forgot muted">${text.hint}</p>
${form(view, html`<button type="submit" name="action" value="send" class="quiet">${text.again}</button>`)}
${retype && html`<p class="forgot"><a href="${retype.path}?${encodeParams([['pending', retype.pending]])}">${text.retype}</a></p>`}
${cancelForm(view)}`,
  );
}

/** `wrong`: what was typed and is no address. */
export function addressPage(view: Frame & { readonly wrong: string | undefined }): Reply {
  const { locale, wrong } = view;
  const text = words[locale];
  const fault: SignUpFault | undefined = wrong === undefined ? undefined : { field: 'email' };
  return stepPage(
    view,
    text.addressTitle,
    fault && faultText(locale, fault),
    html`<p id="intro">${text.addressIntro}</p>
${alertOf(locale, fault)}${form(
  view,
  html`<label for="email">${text.address}</label>
<div class="field"><input id="email" name="email" type="email" autocomplete="email" required autofocus value="${wrong ?? ''}"${fault ? html` aria-invalid="true" aria-describedby="error"` : html` aria-describedby="intro"`}></div>
<button type="submit">${text.send}</button>`,
)}
${cancelForm(view)}`,
  );
}

export function verifiedPage(view: Frame): Reply {
  const text = words[view.locale];
  const go = html`<button type="submit" name="action" value="continue" autofocus>${textFor(view.locale).continue}</button>`;
  return stepPage(view, text.verifiedTitle, undefined, html`<p>${text.verifiedIntro}</p>\n${form(view, go)}`);
}

export function namePage(view: Frame & { readonly username: string; readonly isTaken: boolean }): Reply {
  const { locale, username, isTaken } = view;
  const text = words[locale];
  const fault: SignUpFault | undefined = isTaken || username !== '' ? { field: 'username', isTaken } : undefined;
  return stepPage(
    view,
    text.nameTitle,
    fault && faultText(locale, fault),
    html`<p>${text.nameIntro}</p>
${alertOf(locale, fault)}${form(
  view,
  html`${usernameField(locale, username, fault, true)}<button type="submit">${text.save}</button>`,
)}
${cancelForm(view)}`,
  );
}

function stepPage(view: Frame, heading: string, message: string | undefined, content: Html): Reply {
  return page({
    locale: view.locale,
    brand: view.brand,
    title: message === undefined ? heading : `${message} · ${heading}`,
    formTarget: view.redirectUri,
    inPopup: true,
    status: message === undefined ? 200 : 400,
    body: html`\n<h1>${heading}</h1>\n${content}`,
  });
}

function form({ pending }: Frame, content: Html): Html {
  return html`<form method="post" action="/login/verify-email" data-once>
<input type="hidden" name="pending" value="${pending}">
${content}
</form>`;
}

function cancelForm({ pending, locale }: Frame): Html {
  return html`<form method="post" action="/login/verify-email" class="secondary">
<input type="hidden" name="pending" value="${pending}">
<button type="submit" name="action" value="cancel" class="quiet">${textFor(locale).cancel}</button>
</form>`;
}
