/**
 * The key that a token is bound to, as `cnf` states it (RFC 7800 section 3.1): the confirmation method and the thumbprint of
 * the key, such as `{ jkt }` (RFC 9449 section 6.1) or `{ 'x5t#S256' }` (RFC 8705 section 3.1).
 */
export type Confirmation = Readonly<Record<string, string>>;

/** RFC 8705 section 3.1. */
export const CERTIFICATE_METHOD = 'x5t#S256';

/**
 * The key that an opaque credential names in its end (platform/crypto/credential.ts): the thumbprint of a DPoP key, or after a mark that of a
 * certificate. Empty: any DPoP key.
 */
export type NamedKey = string;

const CERTIFICATE_MARK = '~';

/** Undefined: it is bound to nothing, or by a method for which a credential has no name. */
export function nameOfKey(confirmation: Confirmation | undefined): NamedKey | undefined {
  const { jkt, [CERTIFICATE_METHOD]: certificate } = confirmation ?? {};
  return jkt ?? (certificate === undefined ? undefined : CERTIFICATE_MARK + certificate);
}

export function confirmationOf(key: NamedKey): Confirmation {
  return key.startsWith(CERTIFICATE_MARK) ? { [CERTIFICATE_METHOD]: key.slice(CERTIFICATE_MARK.length) } : { jkt: key };
}

/** The claim of a token that this server signed; undefined where the token is bound to nothing. */
export function readConfirmation(cnf: unknown): Confirmation | undefined {
  return typeof cnf === 'object' && cnf !== null ? (cnf as Confirmation) : undefined;
}
