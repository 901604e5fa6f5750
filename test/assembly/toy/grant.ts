import { failureOf } from '../../../src/failures.ts';
import { clientCredentials } from '../../../src/oauth/client-credentials/grant.ts';
import { type GrantHandler, refused, required } from '../../../src/oauth/token/grant.ts';
import type { ClientIssue } from '../../../src/oauth/token/issue.ts';
import { guestFailures } from './failures.ts';
import { coldGuests } from './queries.ts';

/** A client that names a guest who is in the book gets what it would get for itself. */
export const guestGrant: GrantHandler<'authenticated', ClientIssue> = {
  ...clientCredentials,
  required: ['guest'],
  async run(call) {
    const names = await coldGuests(call.services.store.cold).names();
    return names.includes(required(call, 'guest'))
      ? clientCredentials.run(call)
      : refused(failureOf(guestFailures, 'guestUnknown'));
  },
};
