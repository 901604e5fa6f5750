/** Whole seconds since the Unix epoch, the NumericDate of JWTs (RFC 7519 section 2). */
export interface Clock {
  now(): number;
}

export interface Random {
  bytes(count: number): Buffer;
}
