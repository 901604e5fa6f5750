import type { Access } from '../../directory/access/rules.ts';

/** Settings with which nobody can use a client, or with which everybody can. */

/**
 * The secrets that the documents write, for a reader to replace. A client that has one of them can be used by everybody who has read
 * them; a test holds the documents to this list.
 */
export const DOCUMENTED_SECRETS: readonly string[] = [
  'replace-this-secret',
  'replace-this-secret-too',
  'replace-this-secret-also',
  'replace-this-secret-as-well',
  'replace-this-secret-soon',
];

/** In the place of a secret of the server: what a document wrote, or what nobody has chosen at random. */
export function isPlaceholder(secret: string): boolean {
  return (
    /replace-?this|change-?(?:me|this)|your-secret/i.test(secret) || new Set(secret).size < MIN_DISTINCT_CHARACTERS
  );
}

const MIN_DISTINCT_CHARACTERS = 8;

export type Unusable = 'noGrant' | 'noRedirectUri' | 'nobodyAdmitted';

interface Usable {
  readonly grant_types: readonly string[];
  readonly redirect_uris: readonly string[];
}

/** Why no token can be got with the client; undefined: one can. */
export function unusableReason(
  { grant_types, redirect_uris }: Usable,
  access: Access | undefined,
): Unusable | undefined {
  const first = grant_types.filter(type => type !== 'refresh_token');
  if (first.length === 0) return 'noGrant';
  if (first.every(type => REDIRECTING.includes(type)) && redirect_uris.length === 0) return 'noRedirectUri';
  return admitsNobody(access) && first.every(type => OF_USERS.includes(type)) ? 'nobodyAdmitted' : undefined;
}

const REDIRECTING = ['authorization_code', 'implicit'];
/** A client credentials grant has no user, and a token exchange has the one of its subject token. */
const OF_USERS = [
  ...REDIRECTING,
  'password',
  'urn:ietf:params:oauth:grant-type:device_code',
  'urn:openid:params:grant-type:ciba',
];

function admitsNobody(access: Access | undefined): boolean {
  if (access === undefined || access === 'everybody') return false;
  return access.groups.length + access.roles.length + access.users.length === 0;
}
