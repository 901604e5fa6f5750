export const scopes = ['openid', 'profile', 'email', 'phone'] as const;
export type Scope = (typeof scopes)[number];

const known: ReadonlySet<string> = new Set(scopes);

/** RFC 6749 section 3.3. Undefined when a token is malformed, unknown or not in `allowed`. Order is kept, repeats go. */
export function parseScope(text: string, allowed: readonly Scope[]): Scope[] | undefined {
  const granted: Scope[] = [];
  for (const token of text.split(' ')) {
    if (token === '') continue;
    if (!isScope(token) || !allowed.includes(token)) return undefined;
    if (!granted.includes(token)) granted.push(token);
  }
  return granted.length === 0 ? undefined : granted;
}

export function isScope(token: string): token is Scope {
  return known.has(token);
}

/** Of a scope that was granted, and checked then. */
export function grantedScope(text: string): Scope[] {
  return text === '' ? [] : (text.split(' ') as Scope[]);
}
