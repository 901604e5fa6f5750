import { z } from 'zod';
import { clientField, type DeclaredFields } from '../../directory/fields/declaration.fields.ts';

export const authorizationCodeFields: DeclaredFields = {
  client: [
    clientField('require_pkce', {
      schema: z.boolean().default(false),
      meaning:
        'An authorization request without `code_challenge` is refused (PKCE, RFC 7636). A client with `token_endpoint_auth_method: none` always needs it.',
      section: 'authentication',
      text: {
        en: [
          'Require PKCE',
          'An authorization request without code_challenge is refused. Clients without a secret always need it.',
        ],
        zh: ['要求 PKCE', '拒绝不带 code_challenge 的授权请求。没有密钥的客户端始终需要。'],
      },
    }),
    clientField('require_client_authentication', {
      schema: z.boolean().default(false),
      meaning: 'A PKCE verifier alone is not enough to redeem a code.',
      section: 'authentication',
      text: {
        en: ['Require client authentication', 'Without this, a PKCE verifier alone is enough to exchange a code.'],
        zh: ['使用 PKCE 时也要求密钥', '不勾选时，仅凭 PKCE 校验码即可兑换授权码。'],
      },
    }),
  ],
};
