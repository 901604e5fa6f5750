import type { ProviderSettings } from '../../directory/providers/rules.ts';
import type { Known, Verdict } from './rules.ts';

/** Pure: how a trial tells what came back from a provider, and what it became. */

/** Of the protocol, not of the person (OIDC Core section 2, RFC 7519 section 4.1). */
const OF_PROTOCOL: readonly string[] = [
  ...['iss', 'aud', 'exp', 'iat', 'nbf', 'jti', 'azp', 'nonce', 'at_hash', 'c_hash', 's_hash'],
  ...['auth_time', 'acr', 'amr', 'sid', 'sub'],
];

export interface ShownClaim {
  readonly name: string;
  readonly value: string;
  readonly isOfProtocol: boolean;
  /** The fields of a user that come from it. */
  readonly fields: readonly string[];
}

/** A page, and no more: a provider can send 256 KB of them. */
const MAX_CLAIMS = 200;

/** `names`: the claims that the fields come from. */
export function shownClaims(
  claims: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, string>>,
): readonly ShownClaim[] {
  return Object.entries(claims)
    .slice(0, MAX_CLAIMS)
    .map(([name, value]) => ({
      name,
      value: shownValue(name, value),
      isOfProtocol: OF_PROTOCOL.includes(name),
      fields: Object.entries(names).flatMap(([field, path]) =>
        path === name || (!Object.hasOwn(claims, path) && path.startsWith(`${name}.`)) ? [field] : [],
      ),
    }));
}

const MAX_VALUE_LENGTH = 500;
const HIDDEN = '…';
/** Some providers put tokens among the claims, such as those of distributed claims (OIDC Core section 5.6.2). */
const SECRET_NAME = /token|secret|password|assertion|_jwt$/i;
const JWT = /[\w-]{8,}\.[\w-]{8,}\.[\w-]*/;

/** A text for the page, without what may be a secret. */
export function shownValue(name: string, value: unknown): string {
  const safe = withoutSecrets(name, value);
  const text = typeof safe === 'string' ? safe : (JSON.stringify(safe) ?? '');
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

/** What nests deeper than this is no claim that anybody reads. */
const MAX_DEPTH = 8;

function withoutSecrets(name: string, value: unknown, depth = 0): unknown {
  if (SECRET_NAME.test(name) || depth > MAX_DEPTH) return HIDDEN;
  if (typeof value === 'string') return JWT.test(value) ? HIDDEN : value;
  if (Array.isArray(value)) return value.map(each => withoutSecrets('', each, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([inner, each]) => [inner, withoutSecrets(inner, each, depth + 1)]),
  );
}

export type Reason =
  | 'linked'
  | 'disabled'
  | 'newHere'
  | 'noAddress'
  | 'addressFree'
  | 'addressTaken'
  | 'emailNotTrusted'
  | 'emailTrusted'
  | 'notVerifiedThere'
  | 'verifiedThere'
  | 'notVerifiedHere'
  | 'verifiedHere'
  | 'createsUsers'
  | 'createsNone'
  | 'waits';

/** Why the verdict is what it is, in the order in which the rules ask. */
export function reasonsOf(
  { trusts_email, create_users }: Pick<ProviderSettings, 'trusts_email' | 'create_users'>,
  { linked, owner, isVerifiedThere }: Known,
  verdict: Verdict,
  hasAddress: boolean,
): readonly Reason[] {
  const isDisabled = verdict.kind === 'refused' && verdict.reason === 'disabled';
  if (linked) return ['linked', ...(isDisabled ? (['disabled'] as const) : [])];
  if (!owner) {
    return ['newHere', hasAddress ? 'addressFree' : 'noAddress', create_users ? 'createsUsers' : 'createsNone'];
  }
  return [
    ...(['newHere', 'addressTaken'] as const),
    trusts_email ? 'emailTrusted' : 'emailNotTrusted',
    isVerifiedThere ? 'verifiedThere' : 'notVerifiedThere',
    owner.hasThisVerified ? 'verifiedHere' : 'notVerifiedHere',
    ...(isDisabled ? (['disabled'] as const) : []),
  ];
}

/** Which of the reasons stand in the way of being linked at once. */
export const HINDRANCES: readonly Reason[] = [
  ...(['disabled', 'emailNotTrusted', 'notVerifiedThere', 'notVerifiedHere', 'createsNone'] as const),
];
