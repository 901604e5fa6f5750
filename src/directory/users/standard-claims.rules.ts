import type { Attributes } from '../user-attributes/rules.ts';

/**
 * OIDC Core section 5.1: the standard claims of a user that the interface does not list. All are optional. With them are the values of
 * users' own fields, so that whoever reads claims reads these too.
 */
export interface StandardClaims {
  readonly name?: string;
  readonly given_name?: string;
  readonly family_name?: string;
  readonly middle_name?: string;
  readonly profile?: string;
  readonly website?: string;
  readonly gender?: string;
  readonly birthdate?: string;
  readonly zoneinfo?: string;
  readonly locale?: string;
  readonly address?: AddressClaim;
  readonly attributes?: Attributes;
}

/** OIDC Core section 5.1.1. */
export interface AddressClaim {
  readonly formatted?: string;
  readonly street_address?: string;
  readonly locality?: string;
  readonly region?: string;
  readonly postal_code?: string;
  readonly country?: string;
}

/** The standard claims of the scope `profile` (5.4). `address` has a scope of its own. */
export const profileStandardClaims = [
  'name',
  'given_name',
  'family_name',
  'middle_name',
  'profile',
  'website',
  'gender',
  'birthdate',
  'zoneinfo',
  'locale',
] as const satisfies readonly (keyof StandardClaims)[];

export const standardClaims = [
  ...profileStandardClaims,
  'address',
] as const satisfies readonly (keyof StandardClaims)[];

/** All claims of the scope `profile`. */
export const profileScopeClaims: readonly string[] = [
  'preferred_username',
  'nickname',
  'picture',
  'updated_at',
  ...profileStandardClaims,
];
