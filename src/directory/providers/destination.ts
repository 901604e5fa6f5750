import { isDeepStrictEqual } from 'node:util';
import type { ProviderEntry } from './rules.ts';

/** A secret that nobody can read is not sent to an address that somebody else has put in the place of its own. */

/** Those that the provider gets to see. Of the others it sees signatures. */
const SENT = ['client_secret', 'bind_password'] as const;
/** What decides who gets them. */
const DESTINATION = ['issuer', 'token_endpoint', 'url', 'starttls', 'tls_ca'] as const;

export const GIVE_AGAIN = 'must be given again: the address that it is sent to is another one';

/** The secrets that would follow a change of the address, where `given` does not name them. */
export function followingSecrets(
  before: ProviderEntry,
  after: ProviderEntry,
  given: object,
): readonly (typeof SENT)[number][] {
  const isSame = DESTINATION.every(name => isDeepStrictEqual(before[name] ?? undefined, after[name] ?? undefined));
  if (isSame) return [];
  return SENT.filter(
    name => (before[name] ?? undefined) !== undefined && after[name] === before[name] && !(name in given),
  );
}
