import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import { failure } from '../../failures.ts';
import { recheckAuthRequest } from '../../oauth/authorize/request.rules.ts';
import type { Scope } from '../../oauth/token/scope.rules.ts';
import type { Refusal } from '../../platform/http/message.ts';
import { brandOf } from '../../platform/ui/brand.ts';
import { requestedScopes } from '../sign-in/demands.rules.ts';
import { resume } from '../sign-in/progress.ts';
import { goOn } from '../sign-in/session.ts';
import { expired, namesOf, type StepPage, sessionOf, type Target, type Visit } from '../sign-in/visit.ts';
import { aboutClient } from './about-client.html.ts';
import { agreedDetails, shownAs, shownDetails } from './details.ts';
import { consentPage } from './html.ts';
import { scopeTexts } from './scope-text.ts';
import { noteClientUse, selfRegisteredWarning } from './self-registered.html.ts';

/** The signed-in user agrees to what the client would get, or does not (OIDC Core section 3.1.2.4). */
export const consent: StepPage = {
  actions: ['allow', 'deny'],
  show: async (visit, session) => {
    const question = questionOf(visit);
    if ('failure' in question) return question;
    const { services, signIn, locale } = visit;
    // Signed out in the meantime: the authorization endpoint asks for the next step.
    if (!session) return resume(services.config.baseUrl, signIn);
    const { target, scope } = question;
    const details = shownDetails(target.request.claims, target.application);
    return consentPage({
      locale,
      brand: brandOf(services.config.baseUrl, target.application),
      client: target.client.client_name,
      scope: scopeTexts(locale, target.application, scope),
      details,
      shown: shownAs(scope, details),
      user: session.user,
      pending: signIn.sealed,
      redirectUri: target.request.redirectUri,
      warning: selfRegisteredWarning(locale, target.client, target.request.redirectUri),
      about: await aboutClient(services, locale, target.client),
    });
  },
  submit: async (visit, form) => {
    const question = questionOf(visit);
    if ('failure' in question) return question;
    if (form.get('action') !== 'allow') return goOn(visit, { cancelled: true });
    const session = await sessionOf(visit);
    // The page was shown to one user; another may have signed in since.
    if (!session || session.user.sub !== form.get('sub')) {
      const form = { kind: session ? 'otherUser' : 'sessionEnded' } as const;
      return { failure: failure('signInNeeded'), ...namesOf(visit), sub: session?.user.sub, facts: { form } };
    }
    const { services, request, signIn } = visit;
    const { target, scope } = question;
    // The client may have changed its registration since the page was shown. Nobody agrees to what was not shown.
    const details = shownDetails(target.request.claims, target.application);
    if ((form.get('scope') ?? '') !== shownAs(scope, details)) return resume(services.config.baseUrl, signIn);
    const { sub } = session.user;
    const now = services.clock.now();
    const event = requestEvent(services, request, {
      type: 'consent.given',
      outcome: 'success',
      actor: userActor(sub),
      subject: sub,
      app: target.app,
      clientId: target.client.client_id,
      details: agreedDetails(scope, target.request.claims),
    });
    const full = await noteClientUse(visit, target);
    if (full) return full;
    await services.store.addConsent(sub, target.app, target.client.client_id, scope, now, event);
    return goOn(visit, { consentedBy: sub });
  },
};

interface Question {
  readonly target: Target;
  readonly scope: readonly Scope[];
}

/** Expired where the registration of the client has changed, so that the request is not valid any more. */
function questionOf({ target }: Visit): Question | Refusal {
  if (!target) return expired({ kind: 'otherPurpose' });
  const read = recheckAuthRequest(target.request, target.client, target.application);
  return read.kind === 'valid'
    ? { target, scope: requestedScopes(read.request, target.application) }
    : expired({ kind: 'changed' }, { target });
}
