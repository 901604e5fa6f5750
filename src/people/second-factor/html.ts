import type { Reply } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { textFor } from '../../platform/ui/text.ts';
import { accountPage, time } from '../account/frame.ts';
import { trustedBrowsersSection } from '../trusted-browsers/page.ts';
import type { TrustedBrowser } from '../trusted-browsers/store.ts';
import type { HeldFactors } from './store.ts';

const words = {
  en: {
    password: 'Password',
    setOn: 'Set on',
    change: 'Change the password',
    noPassword: 'You have no password.',
    set: 'Set a password',
    passkeys: 'Passkeys',
    passkeyIntro: 'Sign in with your fingerprint, face or PIN instead of a password.',
    managePasskeys: 'Manage passkeys',
    required:
      'You cannot remove your last second factor: an application that you use, or your administrator, requires one. If you have lost it, ask your administrator to reset it.',
  },
  zh: {
    password: '密码',
    setOn: '设置时间',
    change: '更改密码',
    noPassword: '您没有设置密码。',
    set: '设置密码',
    passkeys: '通行密钥',
    passkeyIntro: '使用指纹、面容或 PIN 代替密码登录。',
    managePasskeys: '管理通行密钥',
    required: '无法移除最后一个第二重验证方式：您使用的应用或管理员要求启用它。如已丢失，请联系管理员重置。',
  },
} as const;

/** Why the last second factor was not removed. */
export function lastFactorText(locale: Locale): string {
  return words[locale].required;
}

interface SecurityView {
  readonly locale: Locale;
  readonly held: HeldFactors;
  /** Undefined: the user has no password. */
  readonly passwordSetAt: number | undefined;
  readonly trusted: readonly TrustedBrowser[];
  /** Whether browsers offer passkeys for the address of this server. */
  readonly takesPasskeys: boolean;
  /** The last factor was not removed, because one is required. */
  readonly isRequired?: boolean;
}

/** A section for each way to prove who one is; what the user does not have says how to get it. */
export function securityPage(view: SecurityView): Reply {
  const { locale, held, isRequired = false } = view;
  const fault = isRequired ? lastFactorText(locale) : undefined;
  return accountPage({
    locale,
    place: 'security',
    title: textFor(locale).securityTitle,
    fault,
    status: isRequired ? 409 : 200,
    content: html`${fault !== undefined && html`<p class="alert" role="alert">${fault}</p>\n`}${passwordSection(view)}
${view.takesPasskeys && passkeySection(view)}
${authenticatorSection(view)}
${(held.totp || held.hasPasskey) && recoverySection(view)}
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

function passkeySection({ locale }: SecurityView): Html {
  const text = words[locale];
  return html`<section>
<h2>${text.passkeys}</h2>
<ul class="rows">
<li><span>${text.passkeyIntro}</span>
<a class="button small" href="/account/security/passkeys">${text.managePasskeys}</a></li>
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
