import { hashRecoveryCode } from '../../accounts/recovery-codes.ts';
import { requestEvent, userActor } from '../../events/request-event.ts';
import type { Reply } from '../../message.ts';
import { type Claimant, type CodeError, claimantOf, nothingToAsk, submitCode } from '../second-factor.ts';
import { cancel } from '../session.ts';
import { brandFor, type StepPage, type Visit } from '../visit.ts';
import { codePage } from './code-page.ts';

/** Instead of the code of an app that was lost: one of ten recovery codes, each good once. */
export const recovery: StepPage = {
  actions: ['cancel'],
  show: async (visit, session) => {
    const claimant = claimantOf(visit, session);
    return claimant ? render(visit, claimant) : nothingToAsk(visit);
  },
  submit: async (visit, form) => {
    if (form.get('action') === 'cancel') return cancel(visit);
    return submitCode(visit, form, {
      method: 'rec',
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
        const left = await services.store.spendRecoveryCode(sub, hash, services.clock.now(), used, request.receivedAt);
        return left !== undefined;
      },
      render,
    });
  },
};

async function render(visit: Visit, { sub }: Claimant, error?: CodeError): Promise<Reply> {
  const { services, request } = visit;
  const { recoveryCodesLeft } = await services.store.secondFactorsOf(sub, request.receivedAt);
  return codePage({
    locale: visit.locale,
    brand: brandFor(visit),
    pending: visit.signIn.sealed,
    redirectUri: visit.target?.request.redirectUri,
    factor: { kind: 'recovery', left: recoveryCodesLeft },
    error,
  });
}
