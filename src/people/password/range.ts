import { hash } from 'node:crypto';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { sendRequest } from '../../platform/outbound/request.ts';

/**
 * Asks a range service whether a password is known from a breach. The service gets the first five characters of the SHA-1 and
 * answers with every hash that begins so (k-anonymity): it cannot tell which one was meant. With Add-Padding it adds lines with the
 * count 0, so that the length of the answer tells nothing to those who see the traffic. An error, a wrong answer or a timeout
 * counts as not found: a password can be set while the service is down.
 */
const PREFIX_LENGTH = 5;
/** 2 s of 5: whoever sets a password waits for it. */
const SHARE = 0.4;
/** A range has about 1,000 lines of 40 bytes, padding included. */
const MAX_BYTES = 512 * 1024;

export async function isInBreach(password: string, rangeUrl: string, outbound: Outbound): Promise<boolean> {
  const digest = hash('sha1', password.normalize('NFC'), 'hex').toUpperCase();
  const outcome = await sendRequest(
    {
      method: 'GET',
      url: `${rangeUrl}/${digest.slice(0, PREFIX_LENGTH)}`,
      headers: { 'add-padding': 'true', 'user-agent': 'gatehouse' },
      maxBytes: MAX_BYTES,
      share: SHARE,
    },
    outbound,
  );
  if (outcome.kind === 'failed' || outcome.status !== 200) return false;
  return countOf(outcome.body.toString('latin1'), digest.slice(PREFIX_LENGTH)) > 0;
}

function countOf(lines: string, suffix: string): number {
  for (const line of lines.split('\n')) {
    const [each, count] = line.trim().split(':');
    if (each?.toUpperCase() === suffix) return Number(count) || 0;
  }
  return 0;
}
