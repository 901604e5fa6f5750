import { clientField, type DeclaredFields } from '../../directory/fields/declaration.fields.ts';
import { signingAlg } from '../signing-keys/fields.ts';

export const introspectFields: DeclaredFields = {
  client: [
    clientField('introspection_signed_response_alg', {
      schema: signingAlg.optional(),
      meaning:
        'Introspection answers this client with a JWT that is signed with this algorithm, where it sends `Accept: application/token-introspection+jwt` (RFC 9701).',
      see: 'apis.md',
      byDefault: 'plain JSON',
      own: 'value',
      section: 'tokens',
      text: {
        en: [
          'Introspection signing algorithm',
          'For an API that keeps the response as evidence, and requests it with Accept: application/token-introspection+jwt.',
        ],
        zh: [
          '内省响应签名算法',
          '用于保存响应作为凭据的 API，请求时发送 Accept: application/token-introspection+jwt。',
        ],
      },
      unset: { en: 'Not signed (JSON)', zh: '不签名（JSON）' },
    }),
  ],
};
