/**
 * Authentication methods (`amr`, RFC 8176; `rec` is a recovery code) and what they amount to (`acr`, OIDC Core section 2): `1` one
 * factor, `2` two factors. A higher class satisfies the lower ones.
 */
export type AuthenticationMethod = 'pwd' | 'otp' | 'rec';

/** What a user knows, and what stands for something the user has. */
const FIRST_FACTORS: readonly string[] = ['pwd'] satisfies AuthenticationMethod[];
const SECOND_FACTORS: readonly string[] = ['otp', 'rec'] satisfies AuthenticationMethod[];

export function isFirstFactor(method: string): boolean {
  return FIRST_FACTORS.includes(method);
}

export function hasSecondFactor(amr: readonly string[]): boolean {
  return amr.some(method => SECOND_FACTORS.includes(method));
}

/** The methods of a login, each once, with `mfa` where they are of two kinds (RFC 8176 section 2). */
export function amrOf(methods: readonly string[]): string[] {
  const used = [...new Set(methods.filter(method => method !== 'mfa'))];
  return used.some(isFirstFactor) && hasSecondFactor(used) ? [...used, 'mfa'] : used;
}

/** From the weakest to the strongest. */
const CLASSES = ['1', '2'] as const;

/** `acr_values_supported` of the discovery document. */
export const acrValues: readonly string[] = CLASSES;

/** Undefined for a login without any of these methods. */
export function acrOf(amr: readonly string[]): string | undefined {
  const isFirst = amr.some(isFirstFactor);
  if (isFirst && hasSecondFactor(amr)) return '2';
  return isFirst || hasSecondFactor(amr) ? '1' : undefined;
}

/** What a request asks for: the supported ones of `acr_values` or of the claim `acr`, in the order of preference. */
export interface RequestedAcr {
  readonly values: readonly string[];
  /** Without one of them, the request is refused (OIDC Core section 5.5.1.1). */
  readonly essential: boolean;
}

/** Whether the login has the class that the request prefers. */
export function isPreferredAcr({ values }: RequestedAcr, amr: readonly string[]): boolean {
  return rankOf(acrOf(amr)) >= rankOf(values[0]);
}

/** Whether the login has one of the classes, or a stronger one. */
export function isAcceptedAcr({ values, essential }: RequestedAcr, amr: readonly string[]): boolean {
  return !essential || values.some(value => rankOf(acrOf(amr)) >= rankOf(value));
}

function rankOf(acr: string | undefined): number {
  return acrValues.indexOf(acr ?? '');
}
