import type { IncomingHttpHeaders } from 'node:http';
import type { Outbound } from './outbound.ts';
import { sendRequest } from './request.ts';

/** A document that somebody else publishes at an address of theirs, such as the keys of a client (`jwks_uri`). */
export type FetchedDocument =
  | {
      readonly kind: 'fetched';
      readonly body: Buffer;
      /** Seconds for which it may be used, as its Cache-Control says; undefined: it does not say. */
      readonly maxAge: number | undefined;
    }
  | { readonly kind: 'failed'; readonly reason: string };

/** 3 s of 5: the request that waits for the document has other work too. */
const SHARE = 0.6;

export interface DocumentKind {
  readonly accept: string;
  readonly maxBytes: number;
  /** Undefined: any. */
  readonly contentType?: RegExp;
  /** Of the timeout for outbound requests. */
  readonly share?: number;
}

/** Redirects are refused: the address that was registered is the one that is trusted. */
export async function fetchDocument(
  url: string,
  { accept, maxBytes, contentType, share = SHARE }: DocumentKind,
  outbound: Outbound,
): Promise<FetchedDocument> {
  const headers = { accept, 'user-agent': 'gatehouse' };
  const request = { method: 'GET', url, headers, maxBytes, share, isDocument: true };
  const outcome = await sendRequest(request, outbound);
  if (outcome.kind === 'failed') return outcome;
  if (outcome.status !== 200) return { kind: 'failed', reason: `the answer has the status ${outcome.status}` };
  if (contentType && !contentType.test(outcome.headers['content-type'] ?? '')) {
    return { kind: 'failed', reason: `the content type is not ${accept}` };
  }
  return { kind: 'fetched', body: outcome.body, maxAge: maxAgeOf(outcome.headers) };
}

/** RFC 9111 section 4.2.1: max-age, or else the time until Expires. */
function maxAgeOf(headers: IncomingHttpHeaders): number | undefined {
  const { 'cache-control': control = '', age = '0' } = headers;
  if (/(^|[\s,])no-(store|cache)\b/i.test(control)) return 0;
  const seconds = /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(control)?.[1] ?? secondsToExpiry(headers);
  return seconds === undefined ? undefined : Math.max(0, Number(seconds) - (Number(age) || 0));
}

/** RFC 9111 section 5.3: what is no date, such as 0, is in the past. */
function secondsToExpiry({ expires, date }: IncomingHttpHeaders): number | undefined {
  if (expires === undefined) return undefined;
  const [end, start] = [Date.parse(expires), Date.parse(date ?? '')];
  if (Number.isNaN(end)) return 0;
  return (end - (Number.isNaN(start) ? Date.now() : start)) / 1000;
}
