import type { KeyRing } from '../keys/key-ring.ts';

/** The key for one-time passwords of a user, encrypted for the store and bound to the user: a row that is moved does not open. */
export function sealTotpKey(ring: KeyRing, sub: string, key: Buffer): string {
  return ring.seal('one-time password key', key, sub).toString('hex');
}

/** Undefined: the server secret that encrypted it is not listed any more. */
export function openTotpKey(ring: KeyRing, sub: string, sealed: string): Buffer | undefined {
  return ring.open('one-time password key', Buffer.from(sealed, 'hex'), sub);
}
