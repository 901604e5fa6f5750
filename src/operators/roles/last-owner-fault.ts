import type { LastOwner } from './store.ts';

/** What `apply`, `diff` and `import users` print. */
export function lastOwnerFault({ username }: LastOwner): string {
  return `user ${username}: is the last owner and cannot be disabled; give another user the role owner first`;
}
