import { callbackOf, type Provider, providerName } from '../../directory/providers/rules.ts';
import { failure } from '../../failures.ts';
import { type Answer, param, type Refusal, type Request, redirect } from '../../platform/http/message.ts';
import { encodeParams, NO_PARAMS } from '../../platform/http/params.rules.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { beginSignIn } from '../sign-in/progress.ts';
import { expired, openVisit, sessionOf, type Visit } from '../sign-in/visit.ts';
import { concludeAnswer } from './answer.ts';
import { isFromThisBrowser, type OpenedAnswer, openAnswer } from './received.ts';
import { unsolicitedPage } from './unsolicited.html.ts';

/**
 * A sign-in that began at the provider, where the operator allows it: nothing waits for it in this browser, so it opens a session for the
 * account page. Nobody may make a browser sign in to an account that its owner does not expect (login CSRF): an answer that another site
 * or a program has posted, or that would end the session of somebody, needs a click on a page that says whose account it is.
 */
type Unsolicited = Extract<OpenedAnswer, { kind: 'unsolicited' }>;

export async function confirmUnsolicited(
  services: Services,
  request: Request,
  provider: Provider,
  received: Unsolicited,
  sealed: string,
): Promise<Answer> {
  if (!provider.allow_unsolicited) return unexpected(provider.id);
  const pending = request.queryParams.get('pending');
  if (pending === undefined) {
    const begun = beginSignIn(services, request, undefined);
    const query = encodeParams([
      ['answer', sealed],
      ['pending', begun.sealed],
    ]);
    return redirect(`${callbackOf(services.config.baseUrl, provider.id)}?${query}`, 303, begun.cookies);
  }
  const visit = await openOwnVisit(services, request, pending);
  if ('failure' in visit) return visit;
  const isExpected = received.isSentByProvider && isFromThisBrowser(services, request, received);
  if (isExpected && !(await sessionOf(visit))) return accept(visit, provider, received);
  const { locale } = visit;
  const name = providerName(provider);
  return unsolicitedPage({ locale, id: provider.id, name, label: received.label, answer: sealed, pending });
}

/** POST /login/provider/{id}/accept: the person has read whose account it is. */
export const acceptUnsolicited: Handler = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const id = param(request, 'id');
  const provider = (await services.registry.providers()).find(each => each.id === id);
  const received = openAnswer(services, id, request.form.get('answer') ?? '');
  if (!provider?.allow_unsolicited || received?.kind !== 'unsolicited') return unexpected(id);
  const visit = await openOwnVisit(services, request, request.form.get('pending'));
  return 'failure' in visit ? visit : accept(visit, provider, received);
};

/** The operator may have taken the leave back since. */
function unexpected(id: string): Refusal {
  return { failure: failure('providerAnswerUnexpected'), facts: { provider: { id, reason: 'unknown' } } };
}

/** Only that which was begun here: the answer to a client, or a further link of an account, is never what a provider begins. */
async function openOwnVisit(
  services: Services,
  request: Request,
  sealed: string | undefined,
): Promise<Visit | Refusal> {
  const visit = await openVisit(services, request, sealed);
  if ('failure' in visit) return visit;
  const isOwn = visit.target === undefined && visit.signIn.progress.ownPage === undefined;
  return isOwn ? visit : expired({ kind: 'otherPurpose' }, visit);
}

function accept(visit: Visit, provider: Provider, received: Unsolicited): Promise<Answer> {
  return concludeAnswer(visit, provider, NO_PARAMS, {}, received);
}
