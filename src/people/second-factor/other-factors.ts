import { encodeParams } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import type { Demands } from '../sign-in/demands.rules.ts';
import { missingClass } from '../sign-in/strength.rules.ts';
import type { Claimant } from './second-factor.ts';
import { codeText } from './text.ts';

/** The pages of the second factors link to each other, as far as the user has them and they help. */
export type OtherFactor = 'passkey' | 'totp' | 'recovery';

export function otherFactors(shown: OtherFactor, user: Claimant['user'], demands: Demands): OtherFactor[] {
  const missing = missingClass(demands, user);
  const others: OtherFactor[] = [];
  if (user.hasPasskey && demands.passkeys) others.push('passkey');
  // A one-time password makes two factors, not a phishing-resistant login.
  if (user.hasTotp && missing !== 'phr') others.push('totp');
  if (missing !== 'phr' || demands.acr?.essential !== true) others.push('recovery');
  return others.filter(other => other !== shown);
}

export function factorLinks(locale: Locale, others: readonly OtherFactor[], pending: string): Html {
  const text = codeText[locale];
  const labels = { passkey: text.usePasskey, totp: text.useApp, recovery: text.useRecoveryCode };
  const query = encodeParams([['pending', pending]]);
  return html`${others.map(other => html`<p class="forgot"><a href="/login/${other}?${query}">${labels[other]}</a></p>\n`)}`;
}
