/**
 * Authentication methods (`amr`, RFC 8176) and what they amount to (`acr`, OIDC Core section 2). A login has the strongest
 * class whose methods were all used, so a further class is a row, the strongest first.
 */
export type AuthenticationMethod = 'pwd';

interface AuthenticationClass {
  readonly acr: string;
  readonly methods: readonly AuthenticationMethod[];
}

const CLASSES: readonly AuthenticationClass[] = [{ acr: 'urn:gatehouse:acr:password', methods: ['pwd'] }];

/** `acr_values_supported` of the discovery document. */
export const acrValues: readonly string[] = CLASSES.map(({ acr }) => acr);

/** Undefined for a login that none of the classes describes. */
export function acrOf(amr: readonly string[]): string | undefined {
  return CLASSES.find(({ methods }) => methods.every(method => amr.includes(method)))?.acr;
}
