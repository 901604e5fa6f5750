import { z } from 'zod';
import { hasSigningKey, jwks, jwksUri } from '../../directory/clients/keys.fields.ts';
import { registrationFault } from '../authorize/redirect-uri.rules.ts';
import type { TrustedIssuer } from './issuer.rules.ts';

/** What is compared with a claim: character by character, so that nothing invisible may be in it. */
export const claimText = z
  .string('must be a text')
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,255}$/u, 'must have 1 to 255 visible characters, all of them on one line')
  .refine(text => text === text.trim(), 'must not begin or end with white space');

/** An issuer that is an address need not say where its keys are: its metadata do. */
export const issuerShape = {
  issuer: claimText.meta({ description: 'The iss, compared exactly.' }),
  jwks: jwks.optional().meta({ description: 'Its public keys: a JWK Set (RFC 7517).' }),
  jwks_uri: jwksUri.optional().meta({
    description:
      'Where it publishes them. Without both: where its metadata say, {issuer}/.well-known/openid-configuration.',
  }),
};

type Report = (field: keyof TrustedIssuer, message: string) => void;

export function checkKeys({ jwks: keys, jwks_uri: uri }: TrustedIssuer, report: Report): void {
  if (keys && uri !== undefined) report('jwks_uri', 'must not be set together with jwks');
  if (keys?.keys.length && !hasSigningKey(keys)) report('jwks', 'must have a key for signatures');
}

/** For an issuer whose keys may be where its metadata say. */
export function checkIssuer(trusted: TrustedIssuer, report: Report): void {
  checkKeys(trusted, report);
  const { issuer, jwks: keys, jwks_uri: uri } = trusted;
  if (keys || uri !== undefined) return;
  const isAddress = /^https?:/i.test(issuer) && !/[?#]/.test(issuer) && registrationFault(issuer) === undefined;
  if (!isAddress) report('issuer', 'must be an https address, or its keys must be set by jwks or jwks_uri');
}
