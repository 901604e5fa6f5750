import { clientField, type DeclaredFields } from '../../directory/fields/declaration.fields.ts';
import { signingAlg } from '../signing-keys/fields.ts';

export const jarmFields: DeclaredFields = {
  client: [
    clientField('authorization_signed_response_alg', {
      schema: signingAlg.optional(),
      meaning:
        'The client may ask for authorization responses that are signed with this algorithm: `response_mode` is `jwt`, `query.jwt`, `fragment.jwt` or `form_post.jwt` (JARM).',
      see: 'jarm.md',
      byDefault: 'none: the client cannot ask for them',
      own: 'value',
      section: 'tokens',
      text: {
        en: [
          'Authorization response signing algorithm',
          'For a client that requests signed responses with response_mode jwt (JARM).',
        ],
        zh: ['授权响应签名算法', '用于以 response_mode jwt 请求签名响应的客户端（JARM）。'],
      },
      unset: { en: 'Not signed', zh: '不签名' },
    }),
  ],
};
