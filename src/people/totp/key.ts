/** Of the key ring (platform/crypto/key-ring.ts). */
export interface TotpSealing {
  seal(purpose: 'one-time password key', plain: Buffer, context: string): Buffer;
  open(purpose: 'one-time password key', sealed: Uint8Array, context: string): Buffer | undefined;
}

/** The key for one-time passwords of a user, encrypted for the store and bound to the user: a row that is moved does not open. */
export function sealTotpKey(ring: TotpSealing, sub: string, key: Buffer): string {
  return ring.seal('one-time password key', key, sub).toString('hex');
}

/** Undefined: the server secret that encrypted it is not listed any more. */
export function openTotpKey(ring: TotpSealing, sub: string, sealed: string): Buffer | undefined {
  return ring.open('one-time password key', Buffer.from(sealed, 'hex'), sub);
}
