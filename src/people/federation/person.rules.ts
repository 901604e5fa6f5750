import { groupMapOf, type ProviderSettings } from '../../directory/providers/rules.ts';

/** Pure: what a provider says about a person, by the names of the fields of a user. */

/** The fields that come from the provider, and the claims that they come from unless the provider has its own (OIDC Core section 5.1). */
export const STANDARD_CLAIMS: Readonly<Record<string, string>> = {
  username: 'preferred_username',
  email: 'email',
  email_verified: 'email_verified',
  name: 'name',
  given_name: 'given_name',
  family_name: 'family_name',
  middle_name: 'middle_name',
  nickname: 'nickname',
  picture: 'picture',
  profile: 'profile',
  website: 'website',
  gender: 'gender',
  birthdate: 'birthdate',
  zoneinfo: 'zoneinfo',
  locale: 'locale',
  groups: 'groups',
};

/** Nothing was looked at yet but the names: any value may be here. */
export type SaidFields = Readonly<Record<string, unknown>>;

type Mapped = Pick<ProviderSettings, 'type' | 'claims' | 'attributes' | 'groups'>;

/** Which claim, or attribute of a directory, each field comes from. */
export function claimNames({ claims, attributes }: Mapped): Readonly<Record<string, string>> {
  return { ...STANDARD_CLAIMS, ...(claims ?? attributes) };
}

export function saidFields(provider: Mapped, claims: Readonly<Record<string, unknown>>): SaidFields {
  const { type, groups: theirGroups } = provider;
  const said = Object.entries(claimNames(provider)).flatMap(([field, path]) => {
    const value = claimAt(claims, path);
    return value === undefined || value === null || value === '' ? [] : [[field, value] as const];
  });
  const { groups: theirs, ...rest } = Object.fromEntries(said);
  const map = groupMapOf({ type, groups: theirGroups });
  if (theirs === undefined && (map === undefined || areGroupsElsewhere(provider, claims))) return rest;
  // Many providers leave the claim out of an answer about somebody who is in no group.
  return { ...rest, groups: groupsHere(map, theirs ?? []) };
}

/** Some groups are too many for an answer, which then names the place to fetch them from (OIDC Core section 5.6.2). */
function areGroupsElsewhere(provider: Mapped, { _claim_names: elsewhere }: Readonly<Record<string, unknown>>): boolean {
  const { groups = '' } = claimNames(provider);
  return typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, groups);
}

/** A claim by its name, or by the names that lead to it. A name with a dot, such as an address, comes first. */
function claimAt(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** Only what is mapped: a group of theirs never becomes one of ours by having its name. */
function groupsHere(map: Readonly<Record<string, string>> | undefined, theirs: unknown): readonly string[] {
  const named = Array.isArray(theirs) ? theirs : [theirs];
  const found = named.flatMap(name =>
    typeof name === 'string' && map !== undefined && Object.hasOwn(map, name) ? [map[name] ?? ''] : [],
  );
  return [...new Set(found)];
}

/** OIDC Core has a boolean; some services send the text. */
export function saysVerified({ email_verified: said }: SaidFields): boolean {
  return said === true || said === 'true';
}

/** What stands for a class in `amr`: RFC 8176 has `mfa`; `phr` is the name of the class. */
export function amrOfClass(acr: string): readonly string[] {
  if (acr === 'phr') return ['mfa', 'phr'];
  return acr === '2' ? ['mfa'] : [];
}

/** The class here that the sign-in amounts to: `1`, unless the provider's `acr_map` says more. */
export function classOf({ acr_map: map = {} }: Pick<ProviderSettings, 'acr_map'>, acr: string | undefined): string {
  return acr !== undefined && Object.hasOwn(map, acr) ? (map[acr] ?? '1') : '1';
}

/** A session at a provider of SAML, by the name of the person there, exactly as it was said (SAML core section 3.7.1). */
export interface NamedSession {
  readonly nameId: string;
  readonly format: string;
  readonly nameQualifier: string | undefined;
  readonly spNameQualifier: string | undefined;
  readonly sessionIndex: string | undefined;
}

/** Whose sessions a provider ends. Without an index: all of the person. */
export interface EndedName extends Omit<NamedSession, 'sessionIndex'> {
  readonly sessionIndexes: readonly string[];
}

/** Whether the session is one of these. One without an index cannot be told from others of the person, so it ends with each. */
export function isEnded(session: NamedSession, ended: EndedName): boolean {
  const isSame = (one: string | undefined, other: string | undefined) =>
    one === undefined || other === undefined || one === other;
  return (
    session.nameId === ended.nameId &&
    session.format === ended.format &&
    isSame(session.nameQualifier, ended.nameQualifier) &&
    isSame(session.spNameQualifier, ended.spNameQualifier) &&
    (ended.sessionIndexes.length === 0 ||
      session.sessionIndex === undefined ||
      ended.sessionIndexes.includes(session.sessionIndex))
  );
}
