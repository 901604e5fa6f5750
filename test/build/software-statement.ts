import { encoded, type SigningPair, signature } from './assertion.ts';

/** A software statement (RFC 7591 section 2.3), put together by hand: no library makes hostile ones. */
export function aStatement(
  signer: SigningPair,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
): string {
  const input = `${encoded({ alg: signer.alg, kid: signer.publicJwk.kid, ...header })}.${encoded(claims)}`;
  return `${input}.${signature(signer, input)}`;
}
