import { capability, from } from '../../capability.ts';
import { endpoint, FOR_BROWSERS, ISSUER, late, noBody } from '../../platform/http/route.ts';

/** How the pages of an application look: name, logo, accent colour. {issuer}/logo/{hash} has the logo. */
export const branding = capability('directory/branding', {
  routes: [
    endpoint(
      'logo',
      FOR_BROWSERS,
      {
        GET: noBody(late(() => import('./endpoint.ts'), 'logo')),
      },
      `${ISSUER}/logo/{hash}`,
    ),
  ],
  fields: from(() => import('./fields.ts'), 'brandingFields'),
  controls: {
    logo_uri: from(() => import('./form.console.ts'), 'logoControl'),
    accent_color: from(() => import('./form.console.ts'), 'accentControl'),
  },
});
