import { z } from 'zod';
import { asymmetricAlgs } from '../../directory/clients/keys.rules.ts';
import { checkedBy, clientField, type DeclaredFields, oneOf } from '../../directory/fields/declaration.fields.ts';
import { registrationFault } from '../authorize/redirect-uri.rules.ts';
import { HASH } from './request-uri.rules.ts';

/** Each is fetched when a browser brings it. */
const MAX_REQUEST_URIS = 20;
const requestUri = checkedBy(uri => {
  const [address = '', hash] = uri.split('#', 2);
  if (!/^https?:/i.test(address)) return 'must be an https address';
  const isHash = hash === undefined || HASH.test(hash);
  return isHash
    ? registrationFault(address)
    : 'must have the SHA-256 of the document in base64url as its fragment, or none';
});

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
          'Request object signing algorithm',
          'For a client that signs its authorization requests with a key of its own (JAR, RFC 9101).',
        ],
        zh: ['授权请求签名算法', '用于以自己的密钥签署授权请求的客户端（JAR，RFC 9101）。'],
      },
      unset: { en: 'Not signed', zh: '不签名' },
    }),
    clientField('request_uris', {
      schema: z.array(requestUri).max(MAX_REQUEST_URIS, `must have at most ${MAX_REQUEST_URIS} addresses`).default([]),
      meaning:
        'Where the client publishes signed requests, which it names by `request_uri` at `/auth`. An address may be sent with the SHA-256 of the document as its fragment.',
      see: 'jar.md',
      byDefault: 'none: only pushed requests have a `request_uri`',
      own: 'list',
      section: 'authentication',
      text: {
        en: [
          'Request URIs',
          'One per line. The client can send one of these as request_uri instead of the signed request itself.',
        ],
        zh: ['请求对象地址', '每行一个。客户端可用 request_uri 指明其中之一，代替直接发送已签署的请求。'],
      },
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
