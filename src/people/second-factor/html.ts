import type { Reply } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { accountPage, time } from '../account/frame.ts';
import { type LinksView, linksSection } from '../linking/section.html.ts';
import { linkingText } from '../linking/text.ts';
import { trustedBrowsersSection } from '../trusted-browsers/page.ts';
import type { TrustedBrowser } from '../trusted-browsers/store.ts';
import type { HeldFactors } from './store.ts';
import { securityText } from './text.ts';

/** Why the last second factor was not removed. */
export function lastFactorText(locale: Locale): string {
  return securityText[locale].required;
}

interface SecurityView {
  readonly locale: Locale;
  readonly held: HeldFactors;
  /** Undefined: the user has no password. */
  readonly passwordSetAt: number | undefined;
  readonly trusted: readonly TrustedBrowser[];
  /** Whether browsers offer passkeys for the address of this server. */
  readonly takesPasskeys: boolean;
  readonly links: LinksView | undefined;
  /** Where the forms of the page lead beside this server. */
  readonly formTargets: readonly string[] | undefined;
  /** What went wrong at an identity provider. */
  readonly linkFault: string | undefined;
  readonly refused: SecurityRefusal | undefined;
}

/** What was not removed: the last factor, because one is required, or the last way in. */
export type SecurityRefusal = 'lastFactor' | 'lastWay';

/** A section for each way to prove who one is; what the user does not have says how to get it. */
export function securityPage(view: SecurityView): Reply {
  const { locale, held, refused, links } = view;
  const fault = faultText(view);
  return accountPage({
    locale,
    place: 'security',
    title: securityText[locale].securityTitle,
    fault,
    status: refused ? 409 : 200,
    formTarget: view.formTargets,
    content: html`${fault !== undefined && html`<p class="alert" role="alert">${fault}</p>\n`}${passwordSection(view)}
${view.takesPasskeys && passkeySection(view)}
${authenticatorSection(view)}
${(held.totp || held.hasPasskey) && recoverySection(view)}
${links && linksSection(locale, links)}${trustedBrowsersSection(locale, view.trusted)}`,
  });
}

function faultText({ locale, refused, linkFault }: SecurityView): string | undefined {
  if (refused === undefined) return linkFault;
  return refused === 'lastFactor' ? lastFactorText(locale) : linkingText[locale].lastWay;
}

function passwordSection({ locale, passwordSetAt }: SecurityView): Html {
  const text = securityText[locale];
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
  const text = securityText[locale];
  return html`<section>
<h2>${text.passkeys}</h2>
<ul class="rows">
<li><span>${text.passkeyIntro}</span>
<a class="button small" href="/account/security/passkeys">${text.managePasskeys}</a></li>
</ul>
</section>`;
}

function authenticatorSection({ locale, held }: SecurityView): Html {
  const text = securityText[locale];
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
  const text = securityText[locale];
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
