import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import type { Reply } from '../../platform/http/message.ts';
import { codePage } from '../second-factor/code.html.ts';
import { otherFactors } from '../second-factor/other-factors.ts';
import { type Claimant, type CodeError, stepOf, WRONG } from '../second-factor/second-factor.ts';
import { hasTwoFactors } from '../sign-in/acr.rules.ts';
import { missingClass } from '../sign-in/strength.rules.ts';
import { brandFor, type StepPage, type Visit } from '../sign-in/visit.ts';
import { hashRecoveryCode } from './codes.ts';

/** Instead of the code of an app that was lost: one of ten recovery codes, each good once. */
export const recovery: StepPage = stepOf({
  name: 'rec',
  field: 'code',
  failure: 'codeWrong',
  isDue: (user, demands) => {
    if (!user.hasTotp && !user.hasPasskey) return false;
    // For a page of this server, a code stands in for a lost passkey too. A request that insists on one cannot be met so.
    const standsIn = missingClass(demands, user) === 'phr' && demands.acr?.essential !== true;
    return standsIn || !hasTwoFactors(user.amr);
  },
  isHeld: ({ totp, hasPasskey }) => totp !== undefined || hasPasskey,
  async spend({ services, request, target }, { sub }, _, code) {
    const used = (left: number) =>
      requestEvent(services, request, {
        type: 'factor.used',
        outcome: 'success',
        actor: userActor(sub),
        subject: sub,
        app: target?.app,
        clientId: target?.client.client_id,
        details: { factor: 'recovery', left },
      });
    const hash = hashRecoveryCode(sub, code);
    const left = await services.store.spendRecoveryCode(sub, hash, services.clock.now(), used);
    return left === undefined ? WRONG : { method: 'rec' };
  },
  render,
});

async function render(visit: Visit, { sub, user }: Claimant, error?: CodeError): Promise<Reply> {
  const { services } = visit;
  const { recoveryCodesLeft } = await services.store.secondFactorsOf(sub);
  return codePage({
    locale: visit.locale,
    brand: brandFor(visit),
    pending: visit.signIn.sealed,
    redirectUri: visit.target?.request.redirectUri,
    factor: { kind: 'recovery', left: recoveryCodesLeft },
    others: otherFactors('recovery', user, visit.demands),
    error,
  });
}
