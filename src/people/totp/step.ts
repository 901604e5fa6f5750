import type { Reply } from '../../platform/http/message.ts';
import { codePage } from '../second-factor/code.html.ts';
import { otherFactors } from '../second-factor/other-factors.ts';
import { type Claimant, type CodeError, stepOf, WRONG } from '../second-factor/second-factor.ts';
import { hasTwoFactors } from '../sign-in/acr.rules.ts';
import { brandFor, type StepPage, type Visit } from '../sign-in/visit.ts';
import { openTotpKey } from './key.ts';
import { matchingStep } from './rules.ts';

/** The user types the code that an authenticator app shows (RFC 6238). */
export const totp: StepPage = stepOf({
  name: 'otp',
  field: 'code',
  failure: 'codeWrong',
  isDue: ({ hasTotp, amr }) => hasTotp && !hasTwoFactors(amr),
  isHeld: ({ totp: held }) => held !== undefined,
  async spend({ services }, { sub }, { totp: held }, code) {
    const key = held && openTotpKey(services.ring, sub, held.sealedKey);
    if (!key) return WRONG;
    const now = services.clock.now();
    const step = matchingStep(key, code, now, held.lastStep);
    if (step === undefined) return WRONG;
    const use = { sealedKey: held.sealedKey, step };
    return (await services.store.acceptTotpStep(sub, use, now)) ? { method: 'otp' } : WRONG;
  },
  render: (visit, { user }, error) => render(visit, user, error),
});

function render(visit: Visit, user: Claimant['user'], error?: CodeError): Reply {
  return codePage({
    locale: visit.locale,
    brand: brandFor(visit),
    pending: visit.signIn.sealed,
    redirectUri: visit.target?.request.redirectUri,
    factor: { kind: 'totp' },
    offersTrust: visit.demands.trustsBrowsers,
    others: otherFactors('totp', user, visit.demands),
    error,
  });
}
