/**
 * Authentication methods (`amr`, RFC 8176; `rec` is a recovery code) and what they amount to (`acr`, OIDC Core section 2): `1` one
 * factor, `2` two factors, `phr` phishing-resistant, a passkey whose authenticator verified the user. A higher class satisfies the
 * lower ones. `fed`: an identity provider said who the user is; `mfa` and `phr` beside it are what its sign-in amounts to (`acr_map`).
 */
export type AuthenticationMethod = 'pwd' | 'otp' | 'rec' | typeof FEDERATED | PasskeyMethod;

export const FEDERATED = 'fed';

/** A key that never leaves its authenticator, or one that is synchronised between the devices of the user. */
export type PasskeyMethod = 'hwk' | 'swk';

/** Beside the method of a passkey: the authenticator verified the user, by biometrics or a PIN. */
export const USER_VERIFIED = 'user';

const PASSKEYS: readonly string[] = ['hwk', 'swk'] satisfies PasskeyMethod[];
/** What stands for something the user has, beside the password, which the user knows. */
const POSSESSIONS: readonly string[] = [...PASSKEYS, 'otp', 'rec'];

/** A method that says who the user is, and not only that it is the same one. */
export function isFirstFactor(method: string): boolean {
  return method === 'pwd' || method === FEDERATED || PASSKEYS.includes(method);
}

/** A passkey with user verification is two factors: the key, and the PIN or the finger that unlocked it. */
export function hasTwoFactors(amr: readonly string[]): boolean {
  if (isPhishingResistant(amr) || (amr.includes(FEDERATED) && amr.includes('mfa'))) return true;
  const isKnown = amr.includes('pwd') || amr.includes(FEDERATED);
  return isKnown && amr.some(method => POSSESSIONS.includes(method));
}

function isPhishingResistant(amr: readonly string[]): boolean {
  if (amr.includes(FEDERATED) && amr.includes('phr')) return true;
  return amr.includes(USER_VERIFIED) && amr.some(method => PASSKEYS.includes(method));
}

/** The methods of a login, each once, with `mfa` where they are two factors (RFC 8176 section 2). */
export function amrOf(methods: readonly string[]): string[] {
  const used = [...new Set(methods.filter(method => method !== 'mfa' || methods.includes(FEDERATED)))];
  return hasTwoFactors(used) ? [...new Set([...used, 'mfa'])] : used;
}

/** From the weakest to the strongest. */
const CLASSES = ['1', '2', 'phr'] as const;
export type AcrClass = (typeof CLASSES)[number];

/** `acr_values_supported` of the discovery document. */
export const acrValues: readonly string[] = CLASSES;

/** Undefined for a login without any of these methods. */
export function acrOf(amr: readonly string[]): AcrClass | undefined {
  if (isPhishingResistant(amr)) return 'phr';
  if (hasTwoFactors(amr)) return '2';
  return amr.some(method => isFirstFactor(method) || POSSESSIONS.includes(method)) ? '1' : undefined;
}

/** What a request asks for: the supported ones of `acr_values` or of the claim `acr`, in the order of preference. */
export interface RequestedAcr {
  readonly values: readonly string[];
  /** Without one of them, the request is refused (OIDC Core section 5.5.1.1). */
  readonly essential: boolean;
}

/** Whether the first class is as strong as the second, or stronger. */
export function satisfies(acr: string | undefined, wanted: string): boolean {
  return rankOf(acr) >= rankOf(wanted);
}

/** Whether the login has one of the classes, or a stronger one. */
export function isAcceptedAcr({ values, essential }: RequestedAcr, amr: readonly string[]): boolean {
  return !essential || values.some(value => satisfies(acrOf(amr), value));
}

function rankOf(acr: string | undefined): number {
  return acrValues.indexOf(acr ?? '');
}
