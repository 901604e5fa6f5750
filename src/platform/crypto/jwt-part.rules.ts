export type JwtObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JwtObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The header or the payload of a JWT that was not verified yet (RFC 7515 section 3.1); undefined: it is no JSON object. */
export function readJwtPart(part = ''): JwtObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
