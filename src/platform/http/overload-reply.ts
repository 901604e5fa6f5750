import { failure } from '../../failures.ts';
import type { Services } from '../../services.ts';
import { chooseLocale, locales } from '../ui/locale.rules.ts';
import { problemPage } from '../ui/problem-page.ts';
import { cachedHeaders, NO_HEADERS } from './cors.ts';
import { jsonError, prefersJson, problemDetails } from './error-response.ts';
import type { Refusal, Reply, Request } from './message.ts';
import { header } from './message.ts';
import type { Match } from './router.ts';

const RETRY_SECONDS = 1;

export const OVERLOADED: Refusal = { failure: failure('serverBusy'), retryAfter: RETRY_SECONDS };

export type OverloadReplies = (request: Pick<Request, 'headers'>, match: Match | undefined, id: string) => Reply;

/**
 * The answer to a rejected request: made once, in every form a route promises, because it is needed when there is no time to make it, and
 * no store to ask. A page of another origin can read it where its origin is in memory, as that of every client is that has been here before.
 */
export function createOverloadReplies(services: Services): OverloadReplies {
  const { docsUrl } = services.config;
  const refusal = OVERLOADED;
  const forPrograms = jsonError(refusal, docsUrl, '');
  const forPeople = new Map(
    locales.map(locale => [locale, problemPage(refusal, locale, undefined, docsUrl, services.tables.failures)]),
  );

  return (request, match, id) => {
    if (match?.route.errors === 'problem') return problemDetails(refusal, docsUrl, '', id);
    if (match?.route.errors === 'json') {
      const granted = cachedHeaders(services, request, match);
      return granted === NO_HEADERS ? forPrograms : { ...forPrograms, headers: { ...forPrograms.headers, ...granted } };
    }
    if (prefersJson(header(request, 'accept'))) return forPrograms;
    return forPeople.get(chooseLocale(undefined, header(request, 'accept-language'))) ?? forPrograms;
  };
}
