import type { Profile } from '../protocol/claims.ts';

export interface Account extends Profile {
  readonly passwordHash: string | undefined;
  readonly disabled: boolean;
}

export interface Users {
  /** By user name, e-mail or telephone number: one name space, already normalised. */
  findAccount(loginName: string, receivedAt?: number): Promise<Account | undefined>;
  /** The password hash of the first user whose `sub` is not before this point, or of the first of all. */
  passwordHashFrom(point: string, receivedAt?: number): Promise<string | undefined>;
  /** Another hash of the same password: ends nothing. False: the present hash is not `from` any more, and stays. */
  replacePasswordHash(sub: string, from: string, to: string, receivedAt?: number): Promise<boolean>;
}
