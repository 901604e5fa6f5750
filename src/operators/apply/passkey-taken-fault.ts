import type { PasskeyTaken } from '../../people/passkey/store.ts';

/** What `apply`, `diff`, `import users` and the admin API say of a passkey. */
export function passkeyTakenFault({ id, username }: PasskeyTaken): string {
  return `belongs to the user "${username}", as the factor ${id}: leave it out, or remove it there first`;
}
