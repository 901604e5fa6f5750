import { z } from 'zod';
import { clientField, type DeclaredFields } from '../../directory/fields/declaration.fields.ts';

export const dpopFields: DeclaredFields = {
  client: [
    clientField('dpop_bound_access_tokens', {
      schema: z.boolean().default(false),
      meaning: 'Its access tokens are bound to a key (DPoP, RFC 9449): a token request without a proof is refused.',
      own: 'demand',
      section: 'tokens',
      text: {
        en: [
          'Require DPoP-bound access tokens',
          'The client proves possession of a key (DPoP, RFC 9449) when it gets and when it uses a token; a request without a proof is refused.',
        ],
        zh: ['访问令牌绑定密钥', '客户端在获取和使用令牌时须证明持有密钥（DPoP，RFC 9449）；没有证明的请求会被拒绝。'],
      },
    }),
  ],
};
