import { callbackOf } from '../../directory/providers/rules.ts';
import { failure } from '../../failures.ts';
import {
  type Answer,
  isForm,
  isRefusal,
  param,
  type Request,
  redirect,
  withCookies,
} from '../../platform/http/message.ts';
import { encodeForUrl, type Params } from '../../platform/http/params.rules.ts';
import { withinRequest } from '../../platform/store/request-time.ts';
import type { Handler, Services } from '../../services.ts';
import { openVisit } from '../sign-in/visit.ts';
import { takeAttempt } from './attempt.ts';
import { connected, connectorOf } from './begin.ts';
import { concludeSignIn } from './conclude.ts';
import { backWithFault } from './fault.ts';

/** A code, an ID token and what Apple sends with the first of them, doubled. */
const MAX_ANSWER_LENGTH = 16 * 1024;

/** GET /login/provider/{id}/callback */
export const answerOfProvider: Handler = (services, request) => finish(services, request, request.queryParams);

/**
 * response_mode=form_post (Apple): the post comes from another site, without the cookies of this one, so the browser brings the same once
 * more by itself. Nothing was done yet, and nothing is done without the cookies.
 */
export const answerByForm: Handler = async (services, request) => {
  if (!isForm(request)) return { failure: failure('contentTypeInvalid') };
  const raw = encodeForUrl(request.body);
  if (raw.length > MAX_ANSWER_LENGTH) return { failure: failure('requestTooLarge') };
  return redirect(`${callbackOf(services.config.baseUrl, param(request, 'id'))}?${raw}`, 303);
};

async function finish(services: Services, request: Request, answer: Params): Promise<Answer> {
  if (request.query.length > MAX_ANSWER_LENGTH) return { failure: failure('requestTooLarge') };
  const id = param(request, 'id');
  const registered = (await services.registry.providers()).find(each => each.id === id);
  if (!registered) return { failure: failure('notFound') };
  const taken = await takeAttempt(services, request, id, answer.get('state'));
  if (taken.kind !== 'taken') {
    return { failure: failure('providerAnswerUnexpected'), facts: { provider: { id, reason: taken.kind } } };
  }
  const { attempt, cookies } = taken;
  const visit = await openVisit(services, request, services.pending.seal(attempt.signIn));
  if ('failure' in visit) return visit;
  const provider = connected(visit, registered);
  const finished = await (await connectorOf(visit, provider)).finish(
    { services, provider, callback: callbackOf(services.config.baseUrl, id) },
    answer,
    attempt.kept,
  );
  const isFault = finished.kind === 'failed';
  services.providerHealth.note(id, !isFault || finished.fault.kind !== 'unavailable');
  // The time of the provider is not that of the database.
  return withinRequest(performance.now(), async () => {
    const reply = isFault
      ? backWithFault(visit, provider, finished.fault)
      : await concludeSignIn(visit, provider, finished.identity);
    return isRefusal(reply) ? reply : withCookies(reply, cookies);
  });
}
