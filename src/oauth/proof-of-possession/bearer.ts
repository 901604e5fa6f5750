import type { Proof } from './proof.ts';

/** RFC 6750: a bearer token is bound to nothing. The scheme is case-insensitive (RFC 9110 section 11.1). */
export const none: Proof = {
  tokenType: 'Bearer',
  authorization: /^bearer +(\S+) *$/i,
  possession: undefined,
};
