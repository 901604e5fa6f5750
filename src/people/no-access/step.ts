import { mayEnter } from '../../directory/access/rules.ts';
import type { Answer } from '../../platform/http/message.ts';
import type { LiveSession } from '../sessions/store.ts';
import { beginSignIn, resume } from '../sign-in/progress.ts';
import { goOn } from '../sign-in/session.ts';
import { brandFor, type StepPage, sessionOf, type Visit } from '../sign-in/visit.ts';
import { noAccessPage } from './html.ts';

/**
 * The user is signed in, and the application does not admit this user (`access`). The session stays: it opens the account page and
 * the applications that do. Nothing that is sent from here lets the user in; the authorization endpoint decides anew.
 */
export const noAccess: StepPage = {
  actions: ['back', 'another'],
  show: async (visit, session) => {
    const { services, signIn, target, locale } = visit;
    // The user was admitted meanwhile, or signed out.
    if (!target || !session || mayEnter(target.application, session.user))
      return resume(services.config.baseUrl, signIn);
    return noAccessPage({
      locale,
      brand: brandFor(visit),
      pending: signIn.sealed,
      username: session.user.username,
      redirectUri: target.request.redirectUri,
      offersAnother: target.requiredSub === undefined,
    });
  },
  submit: async (visit, form) => {
    const session = await sessionOf(visit);
    return form.get('action') === 'another' ? signInAgain(visit) : goBack(visit, session);
  },
};

/** To the client, with access_denied. */
function goBack(visit: Visit, session: LiveSession | undefined): Answer {
  return goOn(visit, { toldNoAccess: session?.user.sub });
}

/** A pending request opens one session, and this one may have opened it for the user who has no access. */
function signInAgain({ services, request, signIn }: Visit): Answer {
  const { authorization } = signIn.progress;
  if (!authorization) return resume(services.config.baseUrl, signIn);
  const { sealed, cookies } = beginSignIn(services, request, authorization, undefined, { selected: 'another' });
  return resume(services.config.baseUrl, { progress: signIn.progress, sealed }, cookies);
}
