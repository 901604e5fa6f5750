import type { Reply } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import { emailText } from './text.ts';

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
  const text = emailText[locale];
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
<p class="forgot"><a href="/account">${emailText[locale].backToAccount}</a></p>`,
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
  const text = emailText[locale];
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
<button type="submit">${sharedText[locale].confirm}</button>
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
  const text = emailText[locale];
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
  const text = emailText[locale];
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
