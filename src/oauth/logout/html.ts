import type { Reply } from '../../platform/http/message.ts';
import { goOnScript } from '../../platform/ui/assets.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import type { Frame } from '../frontchannel-logout/told.ts';
import { logoutText } from './text.ts';

export interface ConfirmLogoutView {
  readonly locale: Locale;
  /** Undefined: the user came without an application. */
  readonly brand: Brand | undefined;
  readonly username: string;
  readonly pending: string | undefined;
  readonly returnTo: string | undefined;
  /** Where the way may lead: over the identity provider of the session, which is signed out too. */
  readonly through: readonly string[];
}

export function confirmLogoutPage(view: ConfirmLogoutView): Reply {
  const text = logoutText[view.locale];
  return page({
    locale: view.locale,
    brand: view.brand,
    title: text.signOutTitle,
    inPopup: true,
    formTarget: [...(view.returnTo === undefined ? [] : [view.returnTo]), ...view.through],
    body: html`
<h1>${text.signOutTitle}</h1>
<p>${text.signOutQuestion(view.username)}</p>
<form method="post" action="/logout" data-once>
${view.pending !== undefined && html`<input type="hidden" name="pending" value="${view.pending}">`}
<button type="submit">${sharedText[view.locale].signOut}</button>
</form>`,
  });
}

export interface SignedOutView {
  readonly locale: Locale;
  /** Of the clients that are told here that the session has ended. */
  readonly frames?: readonly Frame[];
  /** Where the browser goes on to. Undefined: it stays. */
  readonly next?: string | undefined;
}

/** Front-Channel Logout: no client holds the person up for longer. */
const LONGEST_WAIT_SECONDS = 5;

export function signedOutPage({ locale, frames = [], next }: SignedOutView): Reply {
  const text = logoutText[locale];
  return page({
    locale,
    title: text.signedOutTitle,
    inPopup: true,
    framed: frames.map(({ address }) => address),
    ...(next !== undefined && { script: goOnScript, goesOn: { to: next, afterSeconds: LONGEST_WAIT_SECONDS } }),
    body: html`
<h1>${text.signedOutTitle}</h1>
${frames.length > 0 && html`<p>${text.told}</p>\n<ul>${frames.map(({ name }) => html`<li>${name}</li>`)}</ul>`}
${next === undefined ? html`<p>${text.signedOut}</p>` : html`<p><a href="${next}" data-next="${LONGEST_WAIT_SECONDS}">${text.goOn}</a></p>`}
${frames.map(({ name, address }) => html`<iframe src="${address}" title="${name}" sandbox="${SANDBOX}" hidden></iframe>\n`)}`,
  });
}

/** A client may run its script and use what it has stored, and cannot take this page elsewhere. */
const SANDBOX = 'allow-scripts allow-same-origin allow-forms';
