import { capability, from, grant } from '../../capability.ts';
import { refreshTables } from './tables.ts';

/**
 * Refresh tokens (RFC 6749 section 6) with rotation, safe retries and the end of a token family whose token was reused (RFC 9700 section
 * 4.14.2): rules.ts decides.
 */
export const refresh = capability('oauth/refresh', {
  grants: {
    refresh_token: grant(() => import('./grant.ts'), 'refreshToken', {
      asksUser: true,
      label: { en: 'Refresh token: new tokens without the user', zh: '刷新令牌：无需用户即可获取新令牌' },
    }),
  },
  tables: refreshTables,
  fields: from(() => import('./fields.ts'), 'refreshFields'),
});
