import type { RefusalFacts } from '../../audit/refusals/facts.rules.ts';
import type { BrowserState, User } from '../sign-in/current-user.rules.ts';
import type { Demands } from '../sign-in/demands.rules.ts';
import type { StepRule } from '../sign-in/step.rules.ts';

export const consentRule: StepRule = {
  path: '/consent',
  asks: 'user',
  silent: 'consentRequired',
  isNeeded: needsConsent,
  whyNeeded: missingConsent,
};

/**
 * `prompt=consent` demands a consent to this very request. A client that needs consent is content with one that is remembered
 * and was not withdrawn; `offline_access` adds no question to it. One that no operator has set is never content with that.
 */
function needsConsent(demands: Demands, { session, progress }: BrowserState, user?: User): boolean {
  const { prompt, consentTo, consentEachTime } = demands;
  if ((prompt.includes('consent') || consentEachTime) && progress?.consentedBy !== user?.sub) return true;
  if (consentTo === undefined) return false;
  const consented = session && session.user.sub === user?.sub ? session.consented : [];
  if (consented.length === 0) return true;
  return consentTo.some(scope => scope !== 'offline_access' && !consented.includes(scope));
}

function missingConsent(demands: Demands, { session }: BrowserState): RefusalFacts {
  const consented = session?.consented ?? [];
  const missing = (demands.consentTo ?? []).filter(scope => !consented.includes(scope));
  const eachTime = demands.consentEachTime ? { eachTime: true } : {};
  return { consent: { missing, isRemembered: consented.length > 0, ...eachTime } };
}
