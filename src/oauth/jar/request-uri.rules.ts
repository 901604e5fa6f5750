/** The SHA-256 of the document in base64url, as the fragment of its address (OpenID Connect Core section 6.2). */
export const HASH = /^[\w-]{43}$/;

export interface RequestUri {
  /** Where it is fetched. */
  readonly address: string;
  readonly hash: string | undefined;
}

/**
 * Undefined: it is none of the registered ones, and nothing is fetched. Compared character by character; one that is registered without a
 * fragment may be sent with any.
 */
export function registeredRequestUri(registered: readonly string[], sent: string): RequestUri | undefined {
  const [address = '', hash, ...more] = sent.split('#');
  if (more.length > 0 || (hash !== undefined && !HASH.test(hash))) return undefined;
  return registered.includes(sent) || registered.includes(address) ? { address, hash } : undefined;
}
