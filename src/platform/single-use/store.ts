/**
 * Identifiers that are good once, on any node: the `jti` of an assertion (RFC 7523 section 3) or of a proof (RFC 9449 section 11.1). The
 * store keeps each until nothing with it can be valid any more.
 */
export interface Once {
  /**
   * Exactly one of any number of calls with the same `key` returns true (`onceKey` of ../credentials.ts makes it). `callId` is random
   * and tells calls apart: where a lost connection makes the store repeat the statement of a call, that call is not its own replay.
   */
  useOnce(key: Uint8Array, callId: Uint8Array): Promise<boolean>;
}
