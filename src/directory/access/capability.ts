import { capability, from } from '../../capability.ts';

/** Who may sign in to an application: everybody, or users by group, role and name. */
export const access = capability('directory/access', {
  fields: from(() => import('./fields.ts'), 'accessFields'),
  controls: {
    access: from(() => import('./form.console.ts'), 'accessControl'),
  },
});
