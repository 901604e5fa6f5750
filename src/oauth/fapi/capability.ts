import { capability, from } from '../../capability.ts';

/**
 * FAPI 2.0 Security Profile and Message Signing, as a profile of a client: it sets and demands the fields of other capabilities, and narrows what
 * they take. rules.ts has all of it; who verifies asks it.
 */
export const fapi = capability('oauth/fapi', { fields: from(() => import('./fields.ts'), 'fapiFields') });
