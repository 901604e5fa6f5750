import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { OtlpTarget } from '../config/telemetry-settings.ts';
import { ANY_ADDRESS } from '../outbound/public-address.ts';
import { type Outcome, sendRequest } from '../outbound/request.ts';
import { releaseVersion } from '../release.ts';

/** What became of one export (OTLP specification, "OTLP/HTTP Response"). */
export type Exported =
  /** `rejected`: how many spans or data points of it the receiver did not take. */
  | { readonly kind: 'taken'; readonly rejected: number }
  /** The same may be taken later. */
  | { readonly kind: 'postponed'; readonly reason: string; readonly retryAfterMs: number }
  | { readonly kind: 'refused'; readonly reason: string };

const compress = promisify(gzip);
const MAX_ANSWER_BYTES = 64 * 1024;
/** "Failures": every other status says that the same request would fail again. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const MAX_RETRY_AFTER_SECONDS = 300;

/** The operator has set the address, and a collector is on the same machine or in a private network: it may be any but a metadata service. */
export async function sendOtlp(target: OtlpTarget, message: object): Promise<Exported> {
  const text = JSON.stringify(message);
  const outcome = await sendRequest(
    {
      method: 'POST',
      url: target.url,
      headers: {
        ...target.headers,
        'content-type': 'application/json',
        'user-agent': `gatehouse/${releaseVersion()}`,
        ...(target.isCompressed && { 'content-encoding': 'gzip' }),
      },
      body: target.isCompressed ? await compress(text) : text,
      maxBytes: MAX_ANSWER_BYTES,
    },
    { allowed: ANY_ADDRESS, timeoutMs: target.timeoutMs },
  );
  return outcomeOf(outcome);
}

function outcomeOf(outcome: Outcome): Exported {
  if (outcome.kind === 'failed') return { kind: 'postponed', reason: outcome.reason, retryAfterMs: 0 };
  const { status, headers, body } = outcome;
  if (status >= 200 && status < 300) return { kind: 'taken', rejected: rejectedOf(body) };
  const reason = `the receiver answered ${status}`;
  if (!RETRYABLE.has(status)) return { kind: 'refused', reason };
  const seconds = /^\d{1,5}$/.test(headers['retry-after'] ?? '') ? Number(headers['retry-after']) : 0;
  return { kind: 'postponed', reason, retryAfterMs: Math.min(seconds, MAX_RETRY_AFTER_SECONDS) * 1000 };
}

/** "Partial Success". */
function rejectedOf(body: Buffer): number {
  try {
    const { partialSuccess } = JSON.parse(body.toString() || '{}');
    const count = Number(partialSuccess?.rejectedSpans ?? partialSuccess?.rejectedDataPoints ?? 0);
    return Number.isSafeInteger(count) && count > 0 ? count : 0;
  } catch {
    return 0;
  }
}
