import { type JwtObject, readJwtPart } from './jwt-part.rules.ts';

/** What a JWT of somebody else says, before its signature is verified (oauth/client-authentication/jwt-verifier.ts). */
export interface SignedJwt {
  readonly text: string;
  readonly alg: string;
  readonly kid: string | undefined;
  readonly claims: JwtObject;
}

/** By which clocks may differ, in seconds. */
export const CLOCK_SKEW_SECONDS = 60;
export const MAX_JWT_LENGTH = 8192;

/**
 * Undefined: it is no JWT, or one for another purpose, which `typ` names (RFC 8725 section 3.11). `types` are in lower case and without
 * `application/`; undefined in the list: `typ` may be left out.
 */
export function readSignedJwt(text: string, types: readonly (string | undefined)[]): SignedJwt | undefined {
  if (text.length > MAX_JWT_LENGTH) return undefined;
  const parts = text.split('.');
  if (parts.length !== 3) return undefined;
  const [header, claims] = [readJwtPart(parts[0]), readJwtPart(parts[1])];
  // No extension is understood here (RFC 7515 section 4.1.11).
  if (!header || !claims || 'crit' in header || 'b64' in header) return undefined;
  const { alg, kid, typ } = header;
  if (typeof alg !== 'string' || (kid !== undefined && typeof kid !== 'string')) return undefined;
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ;
  return (types as readonly unknown[]).includes(type) ? { text, alg, kid, claims } : undefined;
}

export function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Whether `nbf` and `iat`, where they are, have come (RFC 7519 sections 4.1.5 and 4.1.6). */
export function hasBegun({ claims: { nbf, iat } }: SignedJwt, now: number): boolean {
  return [nbf, iat].every(time => time === undefined || (isTime(time) && time <= now + CLOCK_SKEW_SECONDS));
}

/** Whether one of its audiences (RFC 7519 section 4.1.3) is one of these. */
export function isMeantFor({ claims: { aud } }: SignedJwt, accepted: readonly string[]): boolean {
  return (Array.isArray(aud) ? aud : [aud]).some(one => accepted.includes(one));
}
