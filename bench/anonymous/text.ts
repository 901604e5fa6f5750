/** Texts that were made to be expensive. A body has at most 64 KiB, headers together 48 KiB. */
const BODY = 64_000;
const HEADER = 40_000;

const fill = (piece: string, length: number) => piece.repeat(Math.floor(length / piece.length));

/** Each pair was an exception once. */
export const BROKEN_PAIRS = fill('%zz&', BODY);
export const PAIRS_200 = Array(200)
  .fill(`p=${fill('%e4%bd%a0', 300)}`)
  .join('&');
export const BROKEN_200 = Array(200)
  .fill(`p=${fill('%41', 300)}%zz`)
  .join('&');
export const LONG_BROKEN = `${fill('%41', BODY)}%zz`;
export const LONG_ENCODED = fill('%e4%bd%a0', BODY);
/** Nearly a scope: compared letter by letter where a refusal is explained. */
export const MISSPELT_WORDS = fill('opemid+', BODY);
/** Normalising is quadratic in the number of combining characters that stand in the wrong order. */
export const MARKS = `a${fill('\u0315', 15_000)}${fill('\u0300', 15_000)}`;
export const DOTS = fill('.', BODY);
export const NESTED_JSON = `${fill('[', BODY / 2)}${fill(']', BODY / 2)}`;
export const COOKIES = Array.from({ length: 4000 }, (_, index) => `c${index}=%zz`).join('; ');
export const COMMAS = fill('a,', HEADER);
export const SEMICOLONS = fill('a;q=0.1,', HEADER);
export const SPACES = `x${fill(' ', HEADER)}x`;
export const LONG_HEADER = fill('a', HEADER);
export const TAGS = fill('"a",', HEADER);
export const ADDRESSES = fill('127.0.0.1,', HEADER);
export const SLASHES = fill('/a', HEADER);
export const PERCENTS = fill('%41', HEADER);

export const base64 = (text: string) => Buffer.from(text).toString('base64url');
/** Members that nothing reads, to a length of about `length` characters as a JWT. */
export const aJwt = (header: object, claims: object, length: number, signature = 'AAAA') => {
  const head = base64(JSON.stringify(header));
  const room = Math.floor(((length - head.length - signature.length) * 3) / 4);
  const members = Math.max(0, Math.floor((room - JSON.stringify(claims).length - 20) / 10));
  const more = Object.fromEntries(Array.from({ length: members }, (_, index) => [String(10_000 + index), 1]));
  return `${head}.${base64(JSON.stringify({ ...claims, ...more }))}.${signature}`;
};
