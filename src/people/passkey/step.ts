import { failure } from '../../failures.ts';
import type { Answer, Reply } from '../../platform/http/message.ts';
import { otherFactors } from '../second-factor/other-factors.ts';
import {
  type Claimant,
  type CodeError,
  claimantOf,
  type Factor,
  nothingToAsk,
  submitCode,
} from '../second-factor/second-factor.ts';
import { acrOf } from '../sign-in/acr.rules.ts';
import { cancel } from '../sign-in/session.ts';
import { brandFor, namesOf, type StepPage, type Visit } from '../sign-in/visit.ts';
import { challengeFor, checkPasskey, partyFor } from './check.ts';
import { requestOptions } from './rules.ts';
import { passkeyPage } from './step.html.ts';

/** The user confirms with a passkey, after the password or in a live session. */
export const passkey: StepPage = {
  actions: ['cancel'],
  show: async (visit, session) => {
    const claimant = claimantOf(visit, session, factor);
    return claimant ? render(visit, claimant) : nothingToAsk(visit);
  },
  submit: async (visit, form): Promise<Answer> => {
    if (form.get('action') === 'cancel') return cancel(visit);
    return partyFor(visit) ? submitCode(visit, form, factor) : { failure: failure('passkeysOff'), ...namesOf(visit) };
  },
};

const factor: Factor = {
  name: 'passkey',
  field: 'passkey',
  failure: 'passkeyRefused',
  isDue: ({ hasPasskey, amr }, { passkeys }) => hasPasskey && passkeys && acrOf(amr) !== 'phr',
  isHeld: ({ hasPasskey }) => hasPasskey,
  async spend(visit, claimant, _, answer) {
    const { sub } = claimant;
    const party = partyFor(visit);
    if (!party) return { failure: failure('passkeysOff'), ...namesOf(visit) };
    const requiresUserVerification = mustVerifyUser(claimant);
    const checked = await checkPasskey(visit, party, answer, { sub, requiresUserVerification });
    if (checked.kind === 'replayed') return { failure: failure('formReplayed'), ...namesOf(visit), sub };
    if (checked.kind === 'wrong') {
      const { fault } = checked;
      return { wrong: fault === 'cloned' ? 'cloned' : 'wrong', facts: { passkey: fault } };
    }
    const { method, isUserVerified, passkey: id } = checked.proof;
    return { method, isUserVerified, passkey: id };
  },
  render,
};

/** Beside a password, possession of the key is enough for two factors. */
function mustVerifyUser({ missing, user }: Claimant): boolean {
  return missing === 'phr' || !user.amr.includes('pwd');
}

async function render(visit: Visit, claimant: Claimant, error?: CodeError): Promise<Reply> {
  const { services, signIn, target, locale, demands } = visit;
  const held = await services.store.passkeysOf(claimant.sub);
  const party = partyFor(visit) ?? { id: '', origin: '' };
  const verification = mustVerifyUser(claimant) ? 'required' : 'preferred';
  return passkeyPage({
    locale,
    brand: brandFor(visit),
    pending: signIn.sealed,
    redirectUri: target?.request.redirectUri,
    options: requestOptions(party, challengeFor(visit), verification, held),
    others: otherFactors('passkey', claimant.user, demands),
    error,
  });
}
