import type { Reply } from '../message.ts';
import { type Html, html } from '../pages/html.ts';
import { page } from '../pages/layout.ts';
import type { Locale } from '../pages/locale.ts';
import { textFor } from '../pages/text.ts';
import type { HeldFactors } from '../store/second-factors.ts';
import type { TrustedBrowser } from '../store/trusted-browsers.ts';
import { accountPage, time } from './frame.ts';
import { trustedBrowsersSection } from './trusted-browsers.ts';

const words = {
  en: {
    password: 'Password',
    setOn: 'Set on',
    change: 'Change the password',
    noPassword: 'You have no password.',
    set: 'Set a password',
  },
  zh: {
    password: '密码',
    setOn: '设置时间',
    change: '更改密码',
    noPassword: '您没有设置密码。',
    set: '设置密码',
  },
} as const;

interface SecurityView {
  readonly locale: Locale;
  readonly held: HeldFactors;
  /** Undefined: the user has no password. */
  readonly passwordSetAt: number | undefined;
  readonly trusted: readonly TrustedBrowser[];
}

/** A section for each way to prove who one is; what the user does not have says how to get it. */
export function securityPage(view: SecurityView): Reply {
  const { locale } = view;
  return accountPage({
    locale,
    place: 'security',
    title: textFor(locale).securityTitle,
    content: html`${passwordSection(view)}
${authenticatorSection(view)}
${view.held.totp && recoverySection(view)}
${trustedBrowsersSection(locale, view.trusted)}`,
  });
}

function passwordSection({ locale, passwordSetAt }: SecurityView): Html {
  const text = words[locale];
  const state =
    passwordSetAt === undefined ? html`${text.noPassword}` : html`${text.setOn} ${time(locale, passwordSetAt)}`;
  return html`<section>
<h2>${text.password}</h2>
<ul class="rows">
<li><span>${state}</span>
<a class="button small" href="/account/security/password">${passwordSetAt === undefined ? text.set : text.change}</a></li>
</ul>
</section>`;
}

function authenticatorSection({ locale, held }: SecurityView): Html {
  const text = textFor(locale);
  const row = held.totp
    ? html`<li><span>${text.setUpOn} ${time(locale, held.totp.createdAt)}</span>
${button('remove_totp', text.removeFactor)}</li>`
    : html`<li><span>${text.noAuthenticator}</span>
<a class="button small" href="/account/security/totp">${text.setUpAuthenticator}</a></li>`;
  return html`<section>
<h2>${text.authenticatorApp}</h2>
<ul class="rows">
${row}
</ul>
</section>`;
}

function recoverySection({ locale, held }: SecurityView): Html {
  const text = textFor(locale);
  return html`<section>
<h2>${text.recoveryCodes}</h2>
<ul class="rows">
<li><span>${text.recoveryCodesLeft(held.recoveryCodesLeft)}</span>
${button('new_recovery_codes', text.newRecoveryCodes)}</li>
</ul>
</section>`;
}

function button(action: string, label: string): Html {
  return html`<form method="post" action="/account/security"><button type="submit" name="action" value="${action}" class="small">${label}</button></form>`;
}

interface EnrolView {
  readonly locale: Locale;
  /** In base32. */
  readonly key: string;
  readonly qr: Html;
  readonly sealed: string;
  readonly isWrong: boolean;
}

export function enrolPage({ locale, key, qr, sealed, isWrong }: EnrolView): Reply {
  const text = textFor(locale);
  const described = isWrong ? html` aria-invalid="true" aria-describedby="error"` : html``;
  return page({
    locale,
    title: isWrong ? `${text.wrongCode} · ${text.setUpAuthenticator}` : text.setUpAuthenticator,
    status: isWrong ? 400 : 200,
    body: html`
<h1>${text.setUpAuthenticator}</h1>
<p>${text.scanCode}</p>
${qr}
<p>${text.orTypeKey}<br><code id="totp-key">${key}</code></p>
${isWrong && html`<p class="alert" role="alert" id="error">${text.wrongCode}</p>`}
<form method="post" action="/account/security/totp" data-once>
<input type="hidden" name="enrolment" value="${sealed}">
<label for="code">${text.firstCode}</label>
<div class="field">
<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" required${described}>
</div>
<button type="submit">${text.confirm}</button>
</form>
<p><a href="/account/security">${text.cancel}</a></p>`,
  });
}

interface RecoveryCodesView {
  readonly locale: Locale;
  readonly codes: readonly string[];
}

/** Shown once: the store has only their hashes. */
export function recoveryCodesPage({ locale, codes }: RecoveryCodesView): Reply {
  const text = textFor(locale);
  return page({
    locale,
    title: text.recoveryCodes,
    body: html`
<h1>${text.recoveryCodes}</h1>
<p>${text.keepRecoveryCodes}</p>
<ul class="recovery-codes">
${codes.map(code => html`<li><code class="recovery-code">${code}</code></li>\n`)}
</ul>
<p><a href="/account/security">${text.codesKept}</a></p>`,
  });
}
