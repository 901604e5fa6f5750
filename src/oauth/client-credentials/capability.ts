import { capability, grant } from '../../capability.ts';

/** The client credentials grant (RFC 6749 section 4.4). */
export const clientCredentials = capability('oauth/client-credentials', {
  grants: {
    client_credentials: grant(() => import('./grant.ts'), 'clientCredentials', {
      isConfidential: true,
      label: {
        en: 'Client credentials: the client acts for itself, without a user',
        zh: '客户端凭据：客户端代表自己，没有用户',
      },
    }),
  },
});
