import type { Reply } from '../message.ts';
import { type Html, html } from '../pages/html.ts';
import { page } from '../pages/layout.ts';
import type { Locale } from '../pages/locale.ts';
import { textFor } from '../pages/text.ts';
import type { HeldFactors } from '../store/second-factors.ts';

interface SecurityView {
  readonly locale: Locale;
  readonly held: HeldFactors;
  /** Whether browsers offer passkeys for the address of this server. */
  readonly takesPasskeys: boolean;
}

const words = {
  en: {
    passkeys: 'Passkeys',
    intro: 'Sign in with your fingerprint, face or PIN instead of a password.',
    manage: 'Manage passkeys',
  },
  zh: { passkeys: '通行密钥', intro: '使用指纹、面容或 PIN 代替密码登录。', manage: '管理通行密钥' },
} as const;

export function securityPage({ locale, held, takesPasskeys }: SecurityView): Reply {
  const text = textFor(locale);
  return page({
    locale,
    title: text.securityTitle,
    wide: true,
    body: html`
<h1>${text.securityTitle}</h1>
${takesPasskeys && passkeys(locale)}<h2>${text.authenticatorApp}</h2>
${held.totp ? authenticator(locale, held.totp.createdAt) : html`<p>${text.noAuthenticator}</p>\n<p><a href="/account/security/totp">${text.setUpAuthenticator}</a></p>`}
${(held.totp || held.hasPasskey) && recoveryCodes(locale, held)}
<p><a href="/account">${text.backToAccount}</a></p>`,
  });
}

function passkeys(locale: Locale): Html {
  const text = words[locale];
  return html`<h2>${text.passkeys}</h2>
<p>${text.intro}</p>
<p><a href="/account/security/passkeys">${text.manage}</a></p>
`;
}

function authenticator(locale: Locale, createdAt: number): Html {
  const text = textFor(locale);
  const since = new Date(createdAt * 1000);
  const shown = since.toLocaleDateString(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  return html`<ul class="rows">
<li><span>${text.setUpOn} <time datetime="${since.toISOString()}">${shown}</time></span>
${button('remove_totp', text.removeFactor)}</li>
</ul>`;
}

function recoveryCodes(locale: Locale, { recoveryCodesLeft }: HeldFactors): Html {
  const text = textFor(locale);
  return html`<h2>${text.recoveryCodes}</h2>
<ul class="rows">
<li><span>${text.recoveryCodesLeft(recoveryCodesLeft)}</span>
${button('new_recovery_codes', text.newRecoveryCodes)}</li>
</ul>`;
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
