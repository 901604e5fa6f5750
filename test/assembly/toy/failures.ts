import type { Definition } from '../../../src/failures.ts';

declare module '../../../src/failures.ts' {
  interface DeclaredFailures {
    guestUnknown: true;
  }
}

export const guestFailures = {
  guestUnknown: {
    error: 'invalid_grant',
    status: 400,
    description: 'Nobody of this name is in the guest book.',
    cause: 'The guest has not signed the book, or has left.',
    fix: 'Let the guest sign at /guest_book first.',
    title: { en: 'A guest who is not in the book', zh: '留言簿中没有此访客' },
    rule: { en: 'The guest is in the book.', zh: '访客须在留言簿中。', reference: 'RFC 6749 section 5.2' },
  },
} as const satisfies Record<string, Definition>;
