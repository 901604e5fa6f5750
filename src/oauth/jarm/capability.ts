import { capability, from } from '../../capability.ts';

/** Signed authorization responses (JARM): the client sees that this server has answered it, and that nobody has changed the answer. */
export const jarm = capability('oauth/jarm', { fields: from(() => import('./fields.ts'), 'jarmFields') });
