import type { AlreadyAnswered, Change } from '../../audit/acts/store.ts';

/** `auditor` reads everything but secrets, `operator` changes applications, clients and users, `owner` everything. */
export const roles = ['auditor', 'operator', 'owner'] as const;
export type Role = (typeof roles)[number];

/** A role, for all applications or for those that are listed. */
export interface RoleGrant {
  readonly role: Role;
  readonly applications: readonly string[] | undefined;
}

/** Of the deployment. An owner of some applications cannot give others the role. */
export function isOwner({ role, applications }: RoleGrant): boolean {
  return role === 'owner' && applications === undefined;
}

export interface ApiKey extends RoleGrant {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly lastUsedAt: number | undefined;
}

export interface NewApiKey extends Omit<ApiKey, 'lastUsedAt'> {
  readonly hash: Uint8Array;
}

/** A user of the directory with a role. */
export interface Operator extends RoleGrant {
  readonly sub: string;
  readonly username: string;
  /** A disabled user has no rights, and does not count as an owner. */
  readonly disabled: boolean;
  readonly createdAt: number;
}

/** What a change of an operator depends on, read in its transaction. */
export interface OperatorFacts {
  readonly current: Operator | undefined;
  /** Undefined: there is no such user. */
  readonly username: string | undefined;
  /** Whether the deployment has an owner: a user who is not disabled, with this role for all applications. */
  readonly hasOwner: boolean;
}

/** The change would leave no owner: nothing was written. A disabled owner does not count, nor does an owner of some applications. */
export interface LastOwner {
  readonly kind: 'lastOwner';
  readonly username: string;
}

export type OperatorWrite = RoleGrant & { readonly createdAt: number };

/** The objects after the one with this id, in the order of their ids. */
export interface PageAfter {
  readonly after: string | undefined;
  readonly limit: number;
}

export interface Operators {
  findApiKey(hash: Uint8Array, now: number): Promise<ApiKey | undefined>;
  noteApiKeyUse(id: string, now: number): Promise<void>;
  listApiKeys(page: PageAfter): Promise<ApiKey[]>;
  /** `write` of null deletes it. */
  changeApiKey<R>(
    id: string,
    decide: (current: ApiKey | undefined) => Change<NewApiKey | null, R>,
  ): Promise<R | AlreadyAnswered>;
  findOperator(sub: string): Promise<Operator | undefined>;
  listOperators(page: PageAfter): Promise<Operator[]>;
  /** No other change of operators happens meanwhile. `write` of null removes the role. */
  changeOperator<R>(
    sub: string,
    decide: (facts: OperatorFacts) => Change<OperatorWrite | null, R>,
  ): Promise<R | AlreadyAnswered | LastOwner>;
}
