import type { Reply } from '../message.ts';
import { type Html, html } from '../pages/html.ts';
import { page } from '../pages/layout.ts';
import type { Locale } from '../pages/locale.ts';
import { textFor } from '../pages/text.ts';
import type { HeldFactors } from '../store/second-factors.ts';

interface SecurityView {
  readonly locale: Locale;
  readonly held: HeldFactors;
  /** The last factor was not removed, because one is required. */
  readonly isRequired?: boolean;
}

const words = {
  en: {
    required:
      'You cannot remove your last second factor: an application that you use, or your administrator, requires one. If you have lost it, ask your administrator to reset it.',
  },
  zh: {
    required: '无法移除最后一个第二重验证方式：您使用的应用或管理员要求启用它。如已丢失，请联系管理员重置。',
  },
} as const;

export function securityPage({ locale, held, isRequired = false }: SecurityView): Reply {
  const text = textFor(locale);
  return page({
    locale,
    title: text.securityTitle,
    wide: true,
    status: isRequired ? 409 : 200,
    body: html`
<h1>${text.securityTitle}</h1>
${isRequired && html`<p class="alert" role="alert">${words[locale].required}</p>\n`}<h2>${text.authenticatorApp}</h2>
${held.totp ? factors(locale, held, held.totp.createdAt) : html`<p>${text.noAuthenticator}</p>\n<p><a href="/account/security/totp">${text.setUpAuthenticator}</a></p>`}
<p><a href="/account">${text.backToAccount}</a></p>`,
  });
}

function factors(locale: Locale, { recoveryCodesLeft }: HeldFactors, createdAt: number): Html {
  const text = textFor(locale);
  const since = new Date(createdAt * 1000);
  const shown = since.toLocaleDateString(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  return html`<ul class="rows">
<li><span>${text.setUpOn} <time datetime="${since.toISOString()}">${shown}</time></span>
${button('remove_totp', text.removeFactor)}</li>
</ul>
<h2>${text.recoveryCodes}</h2>
<ul class="rows">
<li><span>${text.recoveryCodesLeft(recoveryCodesLeft)}</span>
${button('new_recovery_codes', text.newRecoveryCodes)}</li>
</ul>`;
}

function button(action: string, label: string): Html {
  return html`<form method="post" action="/account/security"><button type="submit" name="action" value="${action}" class="small">${label}</button></form>`;
}
