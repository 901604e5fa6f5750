import { capability, from } from '../../capability.ts';

/** Signed authorization requests (JAR, RFC 9101): a client signs what it asks for, and nobody on the way changes it. */
export const jar = capability('oauth/jar', { fields: from(() => import('./fields.ts'), 'jarFields') });
