import { capability } from '../../capability.ts';

/**
 * The implicit flow (OpenID Connect Core section 3.2): the authorization endpoint (authorize/) returns the tokens itself, so that there is
 * no token request.
 */
export const implicit = capability('oauth/implicit', {
  grants: {
    implicit: {
      label: {
        en: 'Implicit: tokens in the address; only for old clients',
        zh: '隐式：令牌出现在地址中；仅用于旧客户端',
      },
    },
  },
});
