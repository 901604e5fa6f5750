/**
 * The key that a token is bound to, as `cnf` states it (RFC 7800 section 3.1): the confirmation method and the thumbprint of
 * the key, such as `{ jkt }` (RFC 9449 section 6.1) or `{ 'x5t#S256' }` (RFC 8705 section 3.1).
 */
export type Confirmation = Readonly<Record<string, string>>;

/** The claim of a token that this server signed; undefined where the token is bound to nothing. */
export function readConfirmation(cnf: unknown): Confirmation | undefined {
  return typeof cnf === 'object' && cnf !== null ? (cnf as Confirmation) : undefined;
}
