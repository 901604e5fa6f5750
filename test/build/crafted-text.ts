import type { TestContext } from 'node:test';

/** U+0315 belongs after U+0300: normalising moves each of them past all the others. Two bytes each in UTF-8. */
export function craftedText(length: number): string {
  return `a${'\u0315'.repeat(length / 2)}${'\u0300'.repeat(length / 2)}`;
}

/** What is longer is refused before it is normalised (directory/users/login-name.rules.ts). */
export const LONGEST = 1024;

/** The lengths of texts that were normalised all the same. */
export function watchNormalize(context: TestContext): () => number[] {
  const normalize = context.mock.method(String.prototype, 'normalize');
  return () => normalize.mock.calls.map(call => String(call.this).length).filter(length => length > LONGEST);
}
