import { MIN_PASSWORD_LENGTH } from '../../directory/applications/rules.ts';
import type { Reply } from '../../platform/http/message.ts';
import { encodeParams } from '../../platform/http/params.rules.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import { signInText } from '../sign-in/text.ts';
import { passwordFaultText } from './fault-text.ts';
import type { PasswordFault } from './password.rules.ts';
import { forgottenPasswordText } from './text.ts';

interface ForgotView extends Came {
  readonly locale: Locale;
  readonly isMissing?: boolean;
}

/** The sign-in that the person came from, as long as this browser has it. */
export interface Came {
  /** The application; undefined: the person came from elsewhere. */
  readonly brand?: Brand | undefined;
  /** The sealed sign-in, which the form carries on. */
  readonly pending?: string | undefined;
  /** Where it goes on. */
  readonly back?: string | undefined;
}

export function forgotPasswordPage({ locale, isMissing = false, brand, pending, back }: ForgotView): Reply {
  const text = forgottenPasswordText[locale];
  return passwordPage(
    locale,
    text.forgot,
    html`<p>${text.forgotIntro}</p>
${isMissing && html`<p class="alert" role="alert" id="error">${text.missing}</p>\n`}<form method="post" action="/forgot-password" data-once>
${pending !== undefined && html`<input type="hidden" name="pending" value="${pending}">\n`}<label for="username">${signInText[locale].username}</label>
<div class="field"><input id="username" name="username" type="text" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus${isMissing && INVALID}></div>
<button type="submit">${text.send}</button>
</form>${backLink(locale, back)}`,
    isMissing ? 400 : 200,
    brand,
  );
}

/** The same for every name. */
export function linkSentPage(locale: Locale, { brand, pending, back }: Came = {}): Reply {
  const text = forgottenPasswordText[locale];
  const again = pending === undefined ? '' : `?${encodeParams([['pending', pending]])}`;
  return passwordPage(
    locale,
    text.sent,
    html`<p>${text.sentIntro}</p>
<p>${text.sentHint}</p>
<p><a href="/forgot-password${again}">${text.again}</a></p>${backLink(locale, back)}`,
    200,
    brand,
  );
}

function backLink(locale: Locale, back: string | undefined): Html | false {
  return (
    back !== undefined && html`\n<p class="forgot"><a href="${back}">${forgottenPasswordText[locale].back}</a></p>`
  );
}

/** Somebody who knows the address, or follows a link of their own application, is told what the matter is. */
export function noMailPage(locale: Locale): Reply {
  const text = forgottenPasswordText[locale];
  return passwordPage(locale, text.noMail, html`<p>${text.noMailIntro}</p>`);
}

interface ResetView {
  readonly locale: Locale;
  readonly token: string;
  readonly username: string;
  /** The application that the person came from. */
  readonly brand?: Brand | undefined;
  /** A first password: the user was invited. */
  readonly isInvitation: boolean;
  readonly minLength?: number | undefined;
  readonly fault?: PasswordFault;
}

export function resetPasswordPage(view: ResetView): Reply {
  const { locale, token, username, isInvitation, minLength, fault, brand } = view;
  const text = forgottenPasswordText[locale];
  const { showPassword, hidePassword } = sharedText[locale];
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
    brand,
  );
}

interface PasswordSetView {
  readonly locale: Locale;
  readonly brand?: Brand | undefined;
  readonly isInvitation: boolean;
  /** Where the sign-in goes on from which the person came. */
  readonly resume: string | undefined;
}

export function passwordSetPage({ locale, brand, isInvitation, resume }: PasswordSetView): Reply {
  const text = forgottenPasswordText[locale];
  return passwordPage(
    locale,
    isInvitation ? text.ready : text.done,
    html`<p>${isInvitation ? text.readyIntro : text.doneIntro}</p>
<p><a class="button" href="${resume ?? '/account'}">${resume === undefined ? text.account : text.resume}</a></p>`,
    200,
    brand,
  );
}

const INVALID = html` aria-invalid="true" aria-describedby="error"`;

function passwordPage(locale: Locale, title: string, content: Html, status = 200, brand?: Brand): Reply {
  return page({
    locale,
    title,
    status,
    brand: brand ?? { name: 'Gatehouse' },
    body: html`\n<h1>${title}</h1>\n${content}`,
  });
}
