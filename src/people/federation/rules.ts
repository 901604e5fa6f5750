import type { ProviderSettings } from '../../directory/providers/rules.ts';

/**
 * Pure: what becomes of a person whom a provider has identified. A person is (provider, subject), never an e-mail address: an address
 * leads to an account only where the operator has said that the provider's word about addresses counts, and that account has proved it.
 */
export type Verdict =
  | { readonly kind: 'signedIn'; readonly sub: string }
  /** The provider vouches for the address: the account gets the link at once. */
  | { readonly kind: 'join'; readonly sub: string }
  /** The address belongs to an account: whoever owns that signs in to it once. */
  | { readonly kind: 'prove' }
  | { readonly kind: 'create' }
  | { readonly kind: 'refused'; readonly reason: 'disabled' | 'unknownPerson' | 'otherPerson' };

export interface Known {
  /** The account that is linked to this person. */
  readonly linked: KnownAccount | undefined;
  /** The account to which the address belongs that the provider names. */
  readonly owner: (KnownAccount & { readonly hasThisVerified: boolean }) | undefined;
  /** The provider calls that address verified. */
  readonly isVerifiedThere: boolean;
  /** The request is for this user alone. */
  readonly requiredSub: string | undefined;
}

interface KnownAccount {
  readonly sub: string;
  readonly disabled: boolean;
  /** Disabled because its user has asked to delete it, and can still keep it. */
  readonly isBeingDeleted: boolean;
}

export function verdictOn(
  { trusts_email, create_users }: Pick<ProviderSettings, 'trusts_email' | 'create_users'>,
  { linked, owner, isVerifiedThere, requiredSub }: Known,
): Verdict {
  if (linked) {
    if (isShut(linked)) return refused('disabled');
    if (requiredSub !== undefined && requiredSub !== linked.sub) return refused('otherPerson');
    return { kind: 'signedIn', sub: linked.sub };
  }
  if (owner) {
    if (!trusts_email || !isVerifiedThere || !owner.hasThisVerified) return { kind: 'prove' };
    if (isShut(owner)) return refused('disabled');
    if (requiredSub !== undefined && requiredSub !== owner.sub) return refused('otherPerson');
    return { kind: 'join', sub: owner.sub };
  }
  if (requiredSub !== undefined) return refused('otherPerson');
  return create_users ? { kind: 'create' } : refused('unknownPerson');
}

function isShut({ disabled, isBeingDeleted }: KnownAccount): boolean {
  return disabled && !isBeingDeleted;
}

function refused(reason: Extract<Verdict, { kind: 'refused' }>['reason']): Verdict {
  return { kind: 'refused', reason };
}
