import type { ProviderSettings } from '../../directory/providers/rules.ts';
import { STANDARD_CLAIMS } from '../federation/person.rules.ts';
import type { Assertion } from './assertion.rules.ts';
import { nameIdFormats } from './names.rules.ts';

/**
 * The attributes of an assertion as claims: those that `claims` of the provider names, by their own names, and those that every provider
 * knows, by the names of OpenID Connect. They travel on, and of the others as much as has room.
 */

const OID = 'urn:oid:';
const WS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/';
const MS = 'http://schemas.microsoft.com/';

/** RFC 4519 and eduPerson by their OIDs (Shibboleth, SimpleSAMLphp), the claims of Entra ID and AD FS, and the short names of Okta and Keycloak. */
const WELL_KNOWN: Readonly<Record<string, readonly string[]>> = {
  preferred_username: ['username', 'uid', `${OID}0.9.2342.19200300.100.1.1`, `${WS}upn`, `${WS}name`],
  email: ['mail', `${OID}0.9.2342.19200300.100.1.3`, `${OID}1.2.840.113549.1.9.1`, `${WS}emailaddress`],
  name: ['displayName', `${OID}2.16.840.1.113730.3.1.241`, `${MS}identity/claims/displayname`, 'cn', `${OID}2.5.4.3`],
  given_name: ['givenName', 'firstName', `${OID}2.5.4.42`, `${WS}givenname`],
  family_name: ['sn', 'surname', 'lastName', `${OID}2.5.4.4`, `${WS}surname`],
  locale: ['preferredLanguage', `${OID}2.16.840.1.113730.3.1.39`],
  groups: [
    'memberOf',
    `${OID}1.3.6.1.4.1.5923.1.5.1.1`,
    `${MS}ws/2008/06/identity/claims/groups`,
    'http://schemas.xmlsoap.org/claims/Group',
  ],
};

/** Of Entra ID in place of more than 150 groups: where they are. */
const GROUPS_LINK = `${MS}claims/groups.link`;

type Said = Pick<Assertion, 'nameId' | 'nameIdFormat' | 'attributes'>;
type Mapping = Pick<ProviderSettings, 'claims' | 'groups'>;

export function claimsOf(said: Said, { claims: mapped = {}, groups = {} }: Mapping): Readonly<Record<string, unknown>> {
  const claims: Record<string, unknown> = Object.create(null);
  const names: Readonly<Record<string, string>> = { ...STANDARD_CLAIMS, ...mapped };
  // As OIDC Core section 5.6.2 says it: they were not left out because there are none.
  if (said.attributes.has(GROUPS_LINK)) claims._claim_names = { [names.groups ?? '']: GROUPS_LINK };
  for (const [field, name] of Object.entries(names)) {
    if (field === 'sub') continue;
    const values = valuesOf(said, name);
    // Whatever has no name here would be dropped later: it does not have to travel.
    const kept = field === 'groups' ? values.filter(value => Object.hasOwn(groups, value)) : values;
    if (kept.length > 0) claims[name] = isList(field, kept) ? kept : kept[0];
  }
  return claims;
}

function valuesOf({ nameId, nameIdFormat, attributes }: Said, name: string): readonly string[] {
  const named = attributes.get(name);
  if (named) return named;
  if (name === 'name_id') return [nameId];
  const known = Object.hasOwn(WELL_KNOWN, name) ? (WELL_KNOWN[name] ?? []) : [];
  const found = known.flatMap(each => attributes.get(each) ?? []);
  return found.length === 0 && name === 'email' && nameIdFormat === nameIdFormats.email ? [nameId] : found;
}

/** A standard claim has one value; a directory may hold several addresses, and the first is the one that it shows. */
function isList(field: string, values: readonly string[]): boolean {
  return field === 'groups' || (field.startsWith('attributes.') && values.length > 1);
}

/** For the operator who tries the provider: what is not mapped, as long as there is room. */
const MAX_OTHERS_LENGTH = 3000;

export function otherClaims({ nameId, attributes }: Said, claims: Readonly<Record<string, unknown>>) {
  const others: Record<string, unknown> = Object.create(null);
  let length = 0;
  for (const [name, values] of [['name_id', [nameId]] as const, ...attributes]) {
    if (Object.hasOwn(claims, name)) continue;
    length += JSON.stringify([name, values]).length;
    if (length > MAX_OTHERS_LENGTH) break;
    others[name] = values.length === 1 ? values[0] : values;
  }
  return others;
}

const MAX_SUBJECT_LENGTH = 256;

/**
 * Who the person is there (SAML core section 8.3): the NameID, or the attribute that `claims.sub` names. Undefined: a transient NameID is
 * another one at each sign-in, and an attribute with two values is no identity.
 */
export function subjectOf(said: Said, { claims: mapped = {} }: Pick<ProviderSettings, 'claims'>): string | undefined {
  const subject = mapped.sub === undefined ? nameOf(said) : only(said.attributes.get(mapped.sub) ?? []);
  return subject === undefined || subject === '' || subject.length > MAX_SUBJECT_LENGTH ? undefined : subject;
}

function nameOf({ nameId, nameIdFormat }: Said): string | undefined {
  return nameIdFormat === nameIdFormats.transient ? undefined : nameId;
}

function only(values: readonly string[]): string | undefined {
  return values.length === 1 ? values[0] : undefined;
}
