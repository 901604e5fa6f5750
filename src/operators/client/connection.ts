import { setTimeout as delay } from 'node:timers/promises';

/** Where the admin API is, and who calls it. */
export interface ConnectionOptions {
  /** The BASE_URL of the server, such as https://id.example. */
  readonly server: string;
  /** An API key (gak_…), or an access token of an operator. */
  readonly apiKey: string;
  /** Instead of that of the runtime: for a proxy, or a test. */
  readonly fetch?: typeof fetch;
  /** How long one attempt may take. */
  readonly timeoutMs?: number;
}

/** One call, by its address below /api/v1/admin. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The ETag that was read: the call fails with 412 if the object has changed. */
  readonly ifMatch?: string | undefined;
  /** Of a POST. By default a new one for each call. */
  readonly idempotencyKey?: string | undefined;
}

export interface Called {
  readonly status: number;
  readonly etag: string | undefined;
  /** Undefined: the answer has no body. */
  readonly value: unknown;
}

/** Problem details (RFC 9457), as the admin API sends them. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly request_id?: string;
  /** Every fault of the request, with its place as a JSON pointer (RFC 6901). */
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

/** The server has answered, and refuses. */
export class AdminApiError extends Error {
  readonly status: number;
  /** Undefined: the answer is none of the admin API, such as the error page of a proxy. */
  readonly problem: Problem | undefined;

  constructor(status: number, problem: Problem | undefined) {
    super(problem?.detail ?? `The server answered with the status ${status}.`);
    this.name = 'AdminApiError';
    this.status = status;
    this.problem = problem;
  }
}

/** There is no answer. `certificate`: that of the server is not trusted. `broken`: the connection was lost, and again at every repetition. */
export class ServerUnreachable extends Error {
  readonly reason: 'refused' | 'unknown host' | 'certificate' | 'timeout' | 'redirect' | 'broken';

  constructor(reason: ServerUnreachable['reason'], cause: unknown) {
    super(`There is no answer: ${reason}.`, { cause });
    this.name = 'ServerUnreachable';
    this.reason = reason;
  }
}

const TIMEOUT_MS = 120_000;
const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 200;
/** A server that asks for a longer pause is told apart from one that is only busy. */
const MAX_PAUSE_MS = 30_000;
/** RFC 9110 sections 15.5.9 and 15.6: not refused for what it says. */
const REPEATED: readonly number[] = [429, 502, 503, 504];

export type Send = (call: Call) => Promise<Called>;

/**
 * Sends calls, and repeats those whose answer was lost: GET, PUT, PATCH and DELETE have the same effect twice, and a POST carries an
 * Idempotency-Key, for which the server keeps the answer. Redirects are not followed: the key is for this server alone.
 */
export function connect({ server, apiKey, fetch: request = fetch, timeoutMs = TIMEOUT_MS }: ConnectionOptions): Send {
  const base = `${server.replace(/\/+$/, '')}/api/v1/admin`;
  return async call => {
    const { url, init } = requestOf(base, apiKey, call);
    let wasLost = false;
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === MAX_ATTEMPTS;
      try {
        const response = await request(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
        const pauseMs = REPEATED.includes(response.status) ? pauseOf(response, attempt) : undefined;
        if (pauseMs === undefined || pauseMs > MAX_PAUSE_MS || isLast) {
          return await read(response, wasLost && call.method === 'DELETE');
        }
        await response.body?.cancel();
        await delay(pauseMs);
      } catch (error) {
        if (error instanceof AdminApiError) throw error;
        const reason = reasonOf(error);
        // While a server starts again, it refuses what it would have answered a moment before.
        const mayRepeat = reason === 'broken' || (reason === 'refused' && wasLost);
        if (!mayRepeat || isLast) throw new ServerUnreachable(reason, error);
        wasLost = true;
        await delay(FIRST_PAUSE_MS * 2 ** attempt);
      }
    }
  };
}

function requestOf(base: string, apiKey: string, { method, path, query = {}, body, ...call }: Call) {
  const search = new URLSearchParams(query).toString();
  const key = method === 'POST' ? (call.idempotencyKey ?? crypto.randomUUID()) : undefined;
  const headers = {
    authorization: `Bearer ${apiKey}`,
    accept: 'application/json, application/problem+json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(call.ifMatch === undefined ? {} : { 'if-match': call.ifMatch }),
  };
  const init = { method, headers, redirect: 'manual', ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  return { url: base + path + (search === '' ? '' : `?${search}`), init: init as RequestInit };
}

/** RFC 9110 section 10.2.3, in seconds. */
function pauseOf(response: Response, attempt: number): number {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : FIRST_PAUSE_MS * 2 ** attempt;
}

async function read(response: Response, isRepeatedDelete: boolean): Promise<Called> {
  const { status } = response;
  if (status >= 300 && status < 400) throw new ServerUnreachable('redirect', undefined);
  const text = await response.text();
  const value = jsonOf(text);
  // The attempt whose answer was lost has deleted it.
  if (status === 404 && isRepeatedDelete) return { status: 204, etag: undefined, value: undefined };
  if (!response.ok) throw new AdminApiError(status, isProblem(value) ? value : undefined);
  if (text !== '' && value === undefined) throw new AdminApiError(status, undefined);
  return { status, etag: response.headers.get('etag') ?? undefined, value };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'detail' in value && 'request_id' in value;
}

function reasonOf(error: unknown): ServerUnreachable['reason'] {
  if (error instanceof ServerUnreachable) return error.reason;
  if ((error as Error).name === 'TimeoutError') return 'timeout';
  const code = codeOf(error);
  if (code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unknown host';
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL/.test(code)) return 'certificate';
  return /TIMEOUT|ETIMEDOUT/.test(code) ? 'timeout' : 'broken';
}

function codeOf(error: unknown): string {
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: readonly unknown[] };
  if (typeof code === 'string') return code;
  const inner = cause ?? errors?.[0];
  return inner === undefined || inner === null ? '' : codeOf(inner);
}
