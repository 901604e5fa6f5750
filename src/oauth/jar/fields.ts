import { z } from 'zod';
import { asymmetricAlgs } from '../../directory/clients/keys.rules.ts';
import { clientField, type DeclaredFields, oneOf } from '../../directory/fields/declaration.fields.ts';

export const jarFields: DeclaredFields = {
  client: [
    clientField('request_object_signing_alg', {
      schema: oneOf(asymmetricAlgs).optional(),
      meaning:
        'The client may sign its authorization requests with this algorithm and a key of its `jwks` or `jwks_uri`, and send them as `request` (JAR, RFC 9101).',
      see: 'jar.md',
      byDefault: 'none: the client cannot send `request`',
      own: 'value',
      section: 'authentication',
      text: {
        en: [
          'Signature of requests',
          'For a client that signs its authorization requests with a key of its own (JAR, RFC 9101).',
        ],
        zh: ['授权请求签名算法', '用于以自己的密钥签署授权请求的客户端（JAR，RFC 9101）。'],
      },
      unset: { en: 'Not signed', zh: '不签名' },
    }),
    clientField('require_signed_request_object', {
      schema: z.boolean().default(false),
      meaning: 'Its authorization requests are signed; one that is not is refused (RFC 9101 section 10.5).',
      see: 'jar.md',
      own: 'demand',
      section: 'authentication',
      text: {
        en: ['Require signed requests', 'A request of this client that is not signed is refused.'],
        zh: ['要求签署请求', '未签署的授权请求会被拒绝。'],
      },
    }),
  ],
};
