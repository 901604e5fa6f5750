import { capability } from '../../capability.ts';
import { endpoint, FOR_CLIENTS, form, hot } from '../../platform/http/route.ts';

/** Token revocation (RFC 7009): {issuer}/revoke. job.ts repeats revocations that the database could not do. */
export const revoke = capability('oauth/revoke', {
  routes: [
    endpoint('revoke', FOR_CLIENTS, {
      POST: form(hot(() => import('./endpoint.ts'), 'revoke')),
    }),
  ],
});
