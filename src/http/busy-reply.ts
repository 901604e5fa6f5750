import type { Headers, Refusal, Reply, Request } from '../message.ts';
import { header } from '../message.ts';
import { failure } from '../protocol/errors.ts';
import type { Services } from '../services.ts';
import { chooseLocale, locales } from '../views/locale.ts';
import { problemPage } from '../views/problem-page.ts';
import { grantedHeaders, NO_HEADERS } from './cors.ts';
import { jsonError, prefersJson } from './error-response.ts';
import type { Match } from './router.ts';

const RETRY_SECONDS = 1;

export type BusyReplies = (request: Pick<Request, 'headers'>, found: Match | undefined) => Reply | Promise<Reply>;

/**
 * The answer to who is turned away: made once, in every form a route promises, because it is needed when there is no time
 * to make it. Of the request, only what chooses between them is looked at.
 */
export function createBusyReplies(services: Services): BusyReplies {
  const { docsUrl } = services.config;
  const refusal: Refusal = { failure: failure('serverBusy'), retryAfter: RETRY_SECONDS };
  const forPrograms = jsonError(refusal, docsUrl, '');
  const forPeople = new Map(locales.map(locale => [locale, problemPage(refusal, locale, undefined, docsUrl)]));

  return (request, found) => {
    if (found?.route.errors === 'json') return withGranted(services, request, found, forPrograms);
    if (prefersJson(header(request, 'accept'))) return forPrograms;
    return forPeople.get(chooseLocale(undefined, header(request, 'accept-language'))) ?? forPrograms;
  };
}

/** A page of another origin has to be able to read that it should come back. */
function withGranted(
  services: Services,
  request: Pick<Request, 'headers'>,
  found: Match,
  reply: Reply,
): Reply | Promise<Reply> {
  const granted = grantedHeaders(services, request, found);
  if (granted === NO_HEADERS) return reply;
  // Whether this origin is a client's may have to be asked of the store; without its word nothing is granted.
  if (granted instanceof Promise)
    return granted.then(
      headers => merged(reply, headers),
      () => reply,
    );
  return merged(reply, granted);
}

function merged(reply: Reply, granted: Headers): Reply {
  return { ...reply, headers: { ...reply.headers, ...granted } };
}
