import { callbackOf, type Provider } from '../../directory/providers/rules.ts';
import { failure } from '../../failures.ts';
import {
  type Answer,
  isForm,
  isRefusal,
  param,
  type Refusal,
  type Request,
  redirect,
  withCookies,
} from '../../platform/http/message.ts';
import { encodeForUrl, type Params } from '../../platform/http/params.rules.ts';
import type { Handler, Services } from '../../services.ts';
import { openVisit } from '../sign-in/visit.ts';
import { concludeAnswer } from './answer.ts';
import { isTrial, takeAttempt } from './attempt.ts';
import { connected } from './begin.ts';
import type { Received } from './connector.ts';
import { openAnswer, receivePosted } from './received.ts';
import { confirmUnsolicited } from './unsolicited.ts';

/** A code, an ID token and what Apple sends with the first of them, doubled; or a sealed answer (received.ts). */
const MAX_ANSWER_LENGTH = 16 * 1024;

/** GET /login/provider/{id}/callback */
export const answerOfProvider: Handler = async (services, request) => {
  if (request.query.length > MAX_ANSWER_LENGTH) return { failure: failure('requestTooLarge') };
  const registered = await registeredFor(services, request);
  if (!registered) return { failure: failure('notFound') };
  const answer = request.queryParams;
  const sealed = answer.get('answer');
  if (sealed === undefined) return finish(services, request, registered, answer, answer.get('state'));
  const received = openAnswer(services, registered.id, sealed);
  if (!received) return unexpected(registered, 'unknown');
  if (received.kind === 'unsolicited') return confirmUnsolicited(services, request, registered, received, sealed);
  return finish(services, request, registered, answer, received.state, received);
};

/**
 * response_mode=form_post (Apple): the post comes from another site, without the cookies of this one, so the browser brings the same once
 * more by itself. Nothing was done yet, and nothing is done without the cookies. What is too large for that is verified here.
 */
export const answerByForm: Handler = async (services, request) => {
  if (!isForm(request)) return { failure: failure('contentTypeInvalid') };
  const registered = await registeredFor(services, request);
  if (!registered) return { failure: failure('notFound') };
  const connector = await services.tables.connectors.get(registered.type)?.();
  if (connector?.receive) {
    return receivePosted(services, request, connected({ services }, registered), connector.receive);
  }
  const raw = encodeForUrl(request.body);
  if (raw.length > MAX_ANSWER_LENGTH) return { failure: failure('requestTooLarge') };
  return redirect(`${callbackOf(services.config.baseUrl, registered.id)}?${raw}`, 303);
};

async function registeredFor(services: Services, request: Request): Promise<Provider | undefined> {
  const id = param(request, 'id');
  return (await services.registry.providers()).find(each => each.id === id);
}

function unexpected({ id, name }: Provider, reason: string): Refusal {
  return { failure: failure('providerAnswerUnexpected'), facts: { provider: { id, name, reason } } };
}

/** The page of the console that the trial began on takes the answer: only there is known who may see it. */
function trialAnswerOf({ config }: Services, { query }: Request, id: string): string {
  return `${config.baseUrl}/console/providers/${id}/try/answer?${query}`;
}

async function finish(
  services: Services,
  request: Request,
  registered: Provider,
  answer: Params,
  state: string | undefined,
  received?: Exclude<Received, { kind: 'unsolicited' }>,
): Promise<Answer> {
  const { id } = registered;
  if (isTrial(services, request, state)) return redirect(trialAnswerOf(services, request, id), 303);
  const taken = await takeAttempt(services, request, 'provider', id, state);
  if (taken.kind !== 'taken') return unexpected(registered, taken.kind);
  const { attempt, cookies } = taken;
  const visit = await openVisit(services, request, services.pending.seal(attempt.signIn));
  if ('failure' in visit) return visit;
  const reply = await concludeAnswer(visit, registered, answer, attempt.kept, received);
  return isRefusal(reply) ? reply : withCookies(reply, cookies);
}
