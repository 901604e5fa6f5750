import type { Account } from '../../directory/users/store.ts';
import type { Deps } from '../../services.ts';

const SUB_BYTES = 16;

/** The account of a person who signed up and confirmed the address. Without a user name, the address is the name. */
export function signedUpAccount(
  { random, clock }: Pick<Deps, 'random' | 'clock'>,
  { email, username, passwordHash }: { email: string; username: string | undefined; passwordHash: string },
): Account {
  return {
    sub: random.bytes(SUB_BYTES).toString('base64url'),
    username: username ?? email,
    nickname: undefined,
    picture: undefined,
    email,
    emailVerified: true,
    phoneNumber: undefined,
    phoneNumberVerified: false,
    updatedAt: clock.now(),
    standardClaims: undefined,
    passwordHash,
    disabled: false,
  };
}
