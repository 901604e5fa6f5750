/**
 * The subject of an access token is a user, or the client itself where no user is involved. Then `sub` is the client_id (RFC
 * 9068 section 2.2), in the store, in JWTs and at introspection alike.
 */
export function subOfClient(clientId: string): string {
  return clientId;
}

/**
 * A `sub` that equals the client_id never stands for a user, so a client that was registered under the `sub` of a user cannot
 * pass for that user with a token of its own (RFC 9068 section 5).
 */
export function isSubjectClient({ sub, clientId }: { readonly sub: string; readonly clientId: string }): boolean {
  return sub === subOfClient(clientId);
}
