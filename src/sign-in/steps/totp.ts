import { openTotpKey } from '../../accounts/totp-key.ts';
import type { Reply } from '../../message.ts';
import { matchingStep } from '../../protocol/totp.ts';
import { type CodeError, claimantOf, nothingToAsk, submitCode } from '../second-factor.ts';
import { cancel } from '../session.ts';
import { brandFor, type StepPage, type Visit } from '../visit.ts';
import { codePage } from './code-page.ts';

/** The user types the code that an authenticator app shows (RFC 6238). */
export const totp: StepPage = {
  actions: ['cancel'],
  show: async (visit, session) => (claimantOf(visit, session) ? render(visit) : nothingToAsk(visit)),
  submit: async (visit, form) => {
    if (form.get('action') === 'cancel') return cancel(visit);
    return submitCode(visit, form, {
      method: 'otp',
      async spend({ services, request }, { sub }, { totp: held }, code) {
        const key = held && openTotpKey(services.ring, sub, held.sealedKey);
        if (!key) return false;
        const now = services.clock.now();
        const step = matchingStep(key, code, now, held.lastStep);
        if (step === undefined) return false;
        return services.store.acceptTotpStep(sub, { sealedKey: held.sealedKey, step }, now, request.receivedAt);
      },
      render: (of, _, error) => render(of, error),
    });
  },
};

function render(visit: Visit, error?: CodeError): Reply {
  return codePage({
    locale: visit.locale,
    brand: brandFor(visit),
    pending: visit.signIn.sealed,
    redirectUri: visit.target?.request.redirectUri,
    factor: { kind: 'totp' },
    offersTrust: visit.demands.trustsBrowsers,
    error,
  });
}
