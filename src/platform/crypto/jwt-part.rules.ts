import { isAllText } from '../text/text.rules.ts';

export type JwtObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JwtObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** In JSON, NUL and half of a surrogate pair are always escaped, once they were UTF-8. */
const MAY_BE_NO_TEXT = /\\u(?:0000|d[89a-f])/i;

/** Without padding (RFC 7515 section 2). Buffer.from would skip other characters, which the signature covers as they are. */
export const BASE64URL = /^[\w-]+$/;

/**
 * The header or the payload of a JWT that was not verified yet (RFC 7515 section 3.1); undefined: it is no JSON object, or has what no store
 * can look for (RFC 7493 section 2.1).
 */
export function readJwtPart(part = ''): JwtObject | undefined {
  if (!BASE64URL.test(part)) return undefined;
  try {
    const text = Buffer.from(part, 'base64url').toString();
    const value: unknown = JSON.parse(text);
    if (MAY_BE_NO_TEXT.test(text) && !isAllText(value)) return undefined;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
