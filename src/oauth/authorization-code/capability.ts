import { capability, from, grant } from '../../capability.ts';
import { codeTables } from './tables.ts';

/**
 * The authorization code and its exchange (RFC 6749 section 4.1.3), with PKCE (RFC 7636). A code that comes twice revokes what it was
 * redeemed for.
 */
export const authorizationCode = capability('oauth/authorization-code', {
  grants: {
    authorization_code: grant(() => import('./grant.ts'), 'authorizationCode', {
      asksUser: true,
      label: { en: 'Authorization code: sign-in through the browser', zh: '授权码：通过浏览器登录' },
    }),
  },
  tables: codeTables,
  fields: from(() => import('./fields.ts'), 'authorizationCodeFields'),
});
