import { capability, from } from '../../capability.ts';

/** APIs of an application: the resources that access tokens are for (RFC 8707). */
export const apis = capability('directory/apis', {
  console: {
    '/console/applications/{code}/apis': from(() => import('./list.console.ts'), 'apisOfApplication'),
    '/console/applications/{code}/apis/new': from(() => import('./console.ts'), 'newApi'),
    '/console/applications/{code}/apis/{identifier}': from(() => import('./console.ts'), 'api'),
  },
  fields: from(() => import('./fields.ts'), 'apisFields'),
});
