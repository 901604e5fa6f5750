/**
 * `response_type`, and what it means for the answer of /auth: of the code flow and the implicit flow (OIDC Core sections 3.1 and 3.2), of
 * the hybrid flow (section 3.3), and `none` (OAuth 2.0 Multiple Response Types section 4).
 */
export const responseTypes = [
  'code',
  'id_token',
  'id_token token',
  'code id_token',
  'code token',
  'code id_token token',
  'none',
] as const;

export type ResponseType = (typeof responseTypes)[number];

/** The order of the words says nothing (OAuth 2.0 Multiple Response Types section 3). */
const byWords = new Map<string, ResponseType>(responseTypes.map(type => [sorted(type), type]));

function sorted(text: string): string {
  return text.split(' ').sort().join(' ');
}

export function readResponseType(text: string | undefined): ResponseType | undefined {
  if (text === undefined) return undefined;
  // One word has one order, and nearly every request has one.
  return byWords.get(text.includes(' ') ? sorted(text) : text);
}

type Word = 'code' | 'id_token' | 'token';
const wordsOf = new Map<ResponseType, ReadonlySet<string>>(responseTypes.map(type => [type, new Set(type.split(' '))]));

/** Whether the answer of /auth has it. */
export function hasWord(responseType: ResponseType, word: Word): boolean {
  return wordsOf.get(responseType)?.has(word) === true;
}

/** What clients use without asking: the types of the interface, which their grants stand for. The others are in `response_types`. */
const grantOf: Partial<Record<ResponseType, string>> = {
  code: 'authorization_code',
  id_token: 'implicit',
  'id_token token': 'implicit',
};

/** An answer without a code comes from the implicit grant; all others, and the mere consent of `none`, belong to authorization_code. */
export function neededGrant(responseType: ResponseType): string {
  return grantOf[responseType] ?? 'authorization_code';
}

/** Of the code flow and the implicit flow, of which alone the interface speaks. */
export function isDocumented(responseType: ResponseType): boolean {
  return responseType in grantOf;
}
