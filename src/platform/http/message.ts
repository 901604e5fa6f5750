import type { X509Certificate } from 'node:crypto';
import type { RefusalFacts } from '../../audit/refusals/facts.rules.ts';
import type { ErrorCode, Failure } from '../../failures.ts';
import type { OperatorLocale } from '../ui/locale.rules.ts';
import type { OperatorTexts } from '../ui/texts.ts';
import type { Params } from './params.rules.ts';

/** A request and its answer as plain values. Handlers see no more of HTTP than this. */
export interface Request {
  readonly id: string;
  readonly method: string;
  /** Segments of the path by the names that the pattern of the route gives them, decoded: see `param`. */
  readonly params: Readonly<Record<string, string>>;
  /** As sent, without the query. */
  readonly path: string;
  /** The query string as it was sent, without the question mark. */
  readonly query: string;
  /** The parameters of the query, read once. */
  readonly queryParams: Params;
  /** Names in lower case; a header that came twice is joined or dropped as node:http does. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The parameters of the body, read once: where the route takes a form. */
  readonly form: Params;
  /** The value of the body where the route takes JSON (read-json.ts); undefined when there was none. */
  readonly json: unknown;
  /** When all of it had been received, by performance.now(): DATABASE_TIMEOUT counts from then. */
  readonly receivedAt: number;
  /** The network address of the caller, behind trusted proxies too. */
  readonly address: string;
  /** What came as the certificate of the caller (RFC 8705); nothing of it is verified but what TLS verifies. */
  readonly certificate: ReceivedCertificate | undefined;
  /** True once the caller has closed the connection, so that no answer can reach it. */
  abandoned(): boolean;
}

export type ReceivedCertificate =
  /** `isIssuedByAuthority`: whether TLS found a chain to an authority of TLS_CLIENT_CA. */
  | { readonly from: 'connection'; readonly certificate: X509Certificate; readonly isIssuedByAuthority: boolean }
  /** As a trusted proxy sent it. */
  | { readonly from: 'header'; readonly text: string };

export type Headers = Record<string, string | string[]>;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | Buffer;
  /** The error that this answer tells of, for the metrics. */
  readonly error?: ErrorCode;
  /** What this answer refuses, where it has a form of its own: a redirect to the client, or a page with the form once more. */
  readonly refusal?: Refusal;
}

/** An expected "no". error-response.ts gives it the form of its route: JSON, problem details, or a page for a person. */
export interface Refusal {
  readonly failure: Failure;
  readonly retryAfter?: number;
  /** For the developer's part of the page; never a secret. */
  readonly expected?: string;
  readonly received?: string | undefined;
  /** What the answer has to carry beside the error, such as Allow with a 405 (RFC 9110 section 15.5.6). */
  readonly headers?: Readonly<Headers>;
  /** The scheme of the WWW-Authenticate challenge, where the failure does not say it, and what it says beside realm and error. */
  readonly challenge?: { readonly scheme: string; readonly parameters: string } | undefined;
  /** Each fault of a JSON body, for problem details. */
  readonly errors?: readonly BodyFault[];
  /** For the log: application, client and user of the request, if they exist. A value that names none of them may be a secret. */
  readonly app?: string | undefined;
  readonly client?: string | undefined;
  readonly sub?: string | undefined;
  /** It happens in every successful flow, such as the polls of a device: neither logged nor kept for an explanation. */
  readonly isRoutine?: boolean;
  /** The user name of the account that has not the rights: the page offers to use another. */
  readonly signedInAs?: string;
  /** The error would have gone to a client that has registered itself, and that the user has not approved (RFC 9700 section 4.11.2). */
  readonly isWithheld?: boolean;
  /** For the explanation: what cannot be seen in the request. */
  readonly facts?: RefusalFacts;
}

export interface BodyFault {
  /** Where in the body: a JSON pointer (RFC 6901). */
  readonly pointer: string;
  readonly detail: string;
  /** The same by language, where the fault is one that operators without a technical background meet. */
  readonly text?: OperatorTexts<string>;
}

export function faultText({ detail, text }: BodyFault, locale: OperatorLocale): string {
  return text?.[locale] ?? detail;
}

export type Answer = Reply | Refusal;

export function isRefusal(answer: Answer): answer is Refusal {
  return 'failure' in answer;
}

export function header(request: Pick<Request, 'headers'>, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

const MAX_USER_AGENT_LENGTH = 256;

/** As much of it as is stored. */
export function userAgentOf(request: Pick<Request, 'headers'>): string | undefined {
  return header(request, 'user-agent')?.slice(0, MAX_USER_AGENT_LENGTH);
}

/** A segment of the path. Throws if the pattern of the route has no such parameter, a mistake in the table of routes. */
export function param(request: Pick<Request, 'params'>, name: string): string {
  const value = request.params[name];
  if (value === undefined) throw new Error(`the pattern of the route has no {${name}}`);
  return value;
}

export function isForm(request: Request): boolean {
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(header(request, 'content-type') ?? '');
}

/** For every answer that is no page: no site may frame it, and links from it send no Referer. */
export const GUARDED: Readonly<Headers> = {
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};

/** RFC 6749 section 5.1: answers with tokens or about them are never stored. */
export const NOT_STORED: Readonly<Headers> = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  pragma: 'no-cache',
  ...GUARDED,
};

/** The answer to HEAD where GET has an effect: HEAD has none. */
export const NOTHING: Reply = {
  status: 200,
  headers: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  body: '',
};

/** The cookies that it sets, and these. */
export function withCookies(reply: Reply, cookies: readonly string[]): Reply {
  const own = reply.headers['set-cookie'] ?? [];
  const all = [...(Array.isArray(own) ? own : [own]), ...cookies];
  return all.length === 0 ? reply : withHeaders(reply, { 'set-cookie': all });
}

export function json(value: unknown, status = 200): Reply {
  return { status, headers: NOT_STORED, body: JSON.stringify(value) };
}

export function withHeaders(reply: Reply, headers: Readonly<Headers> | undefined): Reply {
  return headers === undefined ? reply : { ...reply, headers: { ...reply.headers, ...headers } };
}

export function redirect(location: string, status: 302 | 303, cookies: string[] = []): Reply {
  const headers: Headers = { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  return { status, headers, body: '' };
}
