import type { Services } from '../../services.ts';
import { NONCE_STEP_SECONDS, nonceStep } from './rules.ts';

/**
 * Nonces for proofs (RFC 9449 section 8): the number of a time step and its HMAC. Every node makes and knows the same ones, and nothing
 * is stored.
 */
const NONCE = /^([0-9a-z]{1,8})-([\w-]{43})$/;
const MARK = '-';

export function freshNonce({ ring, clock }: Pick<Services, 'ring' | 'clock'>): string {
  const step = nonceStep(clock.now()).toString(36);
  return step + MARK + ring.nonceMac(step);
}

/** The step in which this server made the nonce; undefined: it did not. */
export function stepOfNonce({ ring }: Pick<Services, 'ring'>, nonce: unknown): number | undefined {
  const [, step = '', mac = ''] = typeof nonce === 'string' ? (NONCE.exec(nonce) ?? []) : [];
  return step !== '' && ring.verifyNonceMac(step, mac) ? Number.parseInt(step, 36) : undefined;
}

/** For the explanation: when a nonce was made. */
export function timeOfStep(step: number): number {
  return step * NONCE_STEP_SECONDS;
}
