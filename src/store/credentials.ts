/**
 * What users prove that they are who they say with: for now a password, at most one for each user. A credential has an id of its own,
 * a kind, and data that only its kind understands: the password hash as it is. Secrets that must be read again are sealed before they
 * get here (keys/).
 */
export interface Credentials {
  /** The password hash of the first user whose `sub` is not before this point, or of the first of all. */
  passwordHashFrom(point: string, receivedAt?: number): Promise<string | undefined>;
  /** Another hash of the same password: ends nothing. False: the present hash is not `from` any more, and stays. */
  replacePasswordHash(sub: string, from: string, to: string, receivedAt?: number): Promise<boolean>;
  /** Ends everything the user holds. Undefined: the user has no password from now on. False: there is no such user. */
  changePassword(sub: string, hash: string | undefined, now: number, receivedAt?: number): Promise<boolean>;
}
