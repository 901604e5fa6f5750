import { type Headers, header, NOT_STORED, type Refusal, type Reply, type Request } from '../message.ts';
import { chooseLocale } from '../pages/locale.ts';
import { problemPage } from '../pages/problem-page.ts';
import type { Failure } from '../protocol/errors.ts';
import { byPreference } from '../protocol/preference.ts';

/** How a route speaks of errors: JSON to a program, a page to a person (or JSON when the caller prefers it). */
export type ErrorForm = 'json' | 'page';

export function errorReply(refusal: Refusal, request: Request, form: ErrorForm, docsUrl: string, realm: string): Reply {
  const reply =
    form === 'page' && !prefersJson(header(request, 'accept'))
      ? problemPage(refusal, chooseLocale(undefined, header(request, 'accept-language')), request.id, docsUrl)
      : jsonError(refusal, docsUrl, realm);
  return refusal.allow === undefined ? reply : { ...reply, headers: { ...reply.headers, allow: refusal.allow } };
}

/** Section 7.1 of the interface; RFC 6749 section 5.2. */
export function jsonError({ failure, retryAfter }: Refusal, docsUrl: string, realm: string): Reply {
  const headers: Headers = { ...NOT_STORED };
  const challenge = challengeFor(failure, realm);
  if (challenge !== undefined) headers['www-authenticate'] = challenge;
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
  const body = {
    error: failure.error,
    error_description: failure.description,
    error_uri: `${docsUrl}/${failure.error}`,
  };
  return { status: failure.status, headers, body: JSON.stringify(body) };
}

/** RFC 9110 section 11.6.1; RFC 6750 section 3: a request without a token is told the scheme and no error. */
function challengeFor(failure: Failure, realm: string): string | undefined {
  switch (failure.name) {
    case 'bearerMissing':
      return `Bearer realm="${realm}"`;
    case 'tokenInvalid':
    case 'scopeInsufficient':
      return `Bearer realm="${realm}", error="${failure.error}", error_description="${failure.description}"`;
    default:
      return failure.status === 401 ? `Basic realm="${realm}", charset="UTF-8"` : undefined;
  }
}

/** A browser's Accept names text/html; a program that asks for JSON does not, or likes it less. */
export function prefersJson(accept: string | undefined): boolean {
  const wanted = byPreference(accept ?? '').find(type => type === 'text/html' || JSON_TYPES.includes(type));
  return wanted !== undefined && wanted !== 'text/html';
}

const JSON_TYPES = ['application/json', 'application/problem+json'];
