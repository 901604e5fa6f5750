import type { Failure, Failures } from '../../failures.ts';
import { chooseLocale } from '../ui/locale.rules.ts';
import { problemPage } from '../ui/problem-page.ts';
import { meanings } from './error-meanings.rules.ts';
import { type Headers, header, NOT_STORED, type Refusal, type Reply, type Request } from './message.ts';
import { byPreference } from './preference.rules.ts';

/**
 * How a route words errors. `json`: the three fields of RFC 6749 section 5.2. `problem`: problem details (RFC 9457). `page`: a page for a
 * person, or JSON when the caller prefers it.
 */
export type ErrorForm = 'json' | 'problem' | 'page';

/** Where errors are documented, and what is known of each. */
export interface ErrorReference {
  readonly docsUrl: string;
  readonly failures: Failures;
}

export function errorReply(
  refusal: Refusal,
  request: Request,
  form: ErrorForm,
  reference: ErrorReference,
  realm: string,
): Reply {
  const reply = formed(refusal, request, form, reference, realm);
  return refusal.headers ? { ...reply, headers: { ...reply.headers, ...refusal.headers } } : reply;
}

function formed(
  refusal: Refusal,
  request: Request,
  form: ErrorForm,
  { docsUrl, failures }: ErrorReference,
  realm: string,
): Reply {
  if (form === 'problem') return problemDetails(refusal, docsUrl, realm, request.id);
  if (form === 'json' || prefersJson(header(request, 'accept'))) return jsonError(refusal, docsUrl, realm);
  const locale = chooseLocale(undefined, header(request, 'accept-language'));
  return problemPage(refusal, locale, request.id, docsUrl, failures);
}

/** Section 7.1 of the interface; RFC 6749 section 5.2. */
export function jsonError(refusal: Refusal, docsUrl: string, realm: string): Reply {
  const { failure } = refusal;
  const body = {
    error: failure.error,
    error_description: failure.description,
    error_uri: `${docsUrl}/${failure.error}`,
  };
  return { status: failure.status, headers: errorHeaders(refusal, realm), body: JSON.stringify(body) };
}

/** RFC 9457 section 3.1, with two members of our own: the request id, and where in the body each fault is. */
export function problemDetails(refusal: Refusal, docsUrl: string, realm: string, requestId: string): Reply {
  const { failure, errors } = refusal;
  const body = {
    type: `${docsUrl}/${failure.error}`,
    title: meanings[failure.error].meaning,
    status: failure.status,
    detail: failure.description,
    request_id: requestId,
    errors: errors?.map(({ pointer, detail }) => ({ pointer, detail })),
  };
  const headers = { ...errorHeaders(refusal, realm), 'content-type': 'application/problem+json' };
  return { status: failure.status, headers, body: JSON.stringify(body) };
}

function errorHeaders(refusal: Refusal, realm: string): Headers {
  const { retryAfter } = refusal;
  const headers: Headers = { ...NOT_STORED };
  const challenge = challengeFor(refusal, realm);
  if (challenge !== undefined) headers['www-authenticate'] = challenge;
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
  return headers;
}

/** RFC 9110 section 11.6.1; RFC 6750 section 3: a request without a token is told the scheme and no error. */
function challengeFor({ failure, challenge }: Refusal, realm: string): string | undefined {
  // RFC 9449 section 7.1, RFC 9470 section 3.
  if (challenge) return `${challenge.scheme} realm="${realm}", ${errorOf(failure)}, ${challenge.parameters}`;
  switch (failure.name) {
    case 'bearerMissing':
    case 'operatorUnknown':
      return `Bearer realm="${realm}"`;
    case 'tokenInvalid':
    case 'registrationTokenInvalid':
    case 'operatorKeyInvalid':
    case 'scopeInsufficient':
      return `Bearer realm="${realm}", ${errorOf(failure)}`;
    default:
      return failure.status === 401 ? `Basic realm="${realm}", charset="UTF-8"` : undefined;
  }
}

function errorOf({ error, description }: Failure): string {
  return `error="${error}", error_description="${description}"`;
}

/** A browser's Accept names text/html; a program that asks for JSON does not, or likes it less. */
export function prefersJson(accept: string | undefined): boolean {
  const wanted = byPreference(accept ?? '').find(type => type === 'text/html' || JSON_TYPES.includes(type));
  return wanted !== undefined && wanted !== 'text/html';
}

const JSON_TYPES = ['application/json', 'application/problem+json'];
