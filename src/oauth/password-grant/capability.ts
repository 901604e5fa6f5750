import { capability, grant } from '../../capability.ts';

/** The password grant of the interface (RFC 6749 section 4.3). */
export const passwordGrant = capability('oauth/password-grant', {
  grants: {
    password: grant(() => import('./grant.ts'), 'password', {
      isConfidential: true,
      label: {
        en: 'Password: the client sees the password; only for clients of your own',
        zh: '密码：客户端会看到密码；仅用于您自己的客户端',
      },
    }),
  },
});
