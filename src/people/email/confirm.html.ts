import type { Reply } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { alertOf, faultText, passwordField, type SignUpFault, usernameField } from '../sign-up/html.ts';
import { confirmEmailText } from './text.ts';

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
  const text = confirmEmailText[locale];
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
  const text = confirmEmailText[locale];
  const fields = html`${usernameField(locale, username, fault)}${passwordField(locale, minLength, fault, text.password)}<button type="submit">${text.create}</button>`;
  const content = html`<p>${text.setUpIntro(email)}</p>
${alertOf(locale, fault)}${form(token, fields)}`;
  return linkPage(locale, text.setUp, content, { message: fault && faultText(locale, fault) });
}

export function addressConfirmedPage(locale: Locale, outcome: 'verified' | 'signedUp'): Reply {
  const text = confirmEmailText[locale];
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
