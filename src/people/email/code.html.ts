import type { Reply } from '../../platform/http/message.ts';
import { encodeParams } from '../../platform/http/params.rules.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import { alertOf, faultText, type SignUpFault, usernameField } from '../sign-up/html.ts';
import { emailCodeText } from './text.ts';

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
  const text = emailCodeText[locale];
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
<button type="submit">${sharedText[locale].continue}</button>`,
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
  const text = emailCodeText[locale];
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
  const text = emailCodeText[view.locale];
  const go = html`<button type="submit" name="action" value="continue" autofocus>${sharedText[view.locale].continue}</button>`;
  return stepPage(view, text.verifiedTitle, undefined, html`<p>${text.verifiedIntro}</p>\n${form(view, go)}`);
}

export function namePage(view: Frame & { readonly username: string; readonly isTaken: boolean }): Reply {
  const { locale, username, isTaken } = view;
  const text = emailCodeText[locale];
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
<button type="submit" name="action" value="cancel" class="quiet">${sharedText[locale].cancel}</button>
</form>`;
}
