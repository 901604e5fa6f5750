import {
  type ClientField,
  clientField,
  type DeclaredFields,
  oneOf,
} from '../../directory/fields/declaration.fields.ts';
import { contentEncryptions, DEFAULT_CONTENT_ENCRYPTION, keyEncryptionAlgs } from './algorithms.rules.ts';

const algs = oneOf(keyEncryptionAlgs).optional();
const encs = oneOf(contentEncryptions).optional();
const NOT = { unset: { en: 'Not encrypted', zh: '不加密' } } as const;
const BY_DEFAULT = { unset: { en: DEFAULT_CONTENT_ENCRYPTION, zh: DEFAULT_CONTENT_ENCRYPTION } } as const;
const WITH_ALG = `\`${DEFAULT_CONTENT_ENCRYPTION}\`, where the algorithm is set`;
const COMMON = { see: 'encryption.md', own: 'value' } as const;
const OF_ANSWERS = { ...COMMON, section: 'tokens' } as const;
const OF_REQUESTS = { ...COMMON, section: 'authentication' } as const;

/** Client metadata of OpenID Connect Dynamic Client Registration section 2, JARM section 3 and RFC 9701 section 6. */
export const encryptionFields: DeclaredFields = {
  client: [
    clientField('id_token_encrypted_response_alg', {
      schema: algs,
      meaning:
        'Its ID tokens and logout tokens are encrypted to a key of its `jwks` or `jwks_uri` with this algorithm, after they were signed.',
      byDefault: 'none: signed only',
      ...OF_ANSWERS,
      text: {
        en: [
          'ID token encryption algorithm',
          'For a client that has a key to decrypt them. Most libraries expect no encryption.',
        ],
        zh: ['ID 令牌加密算法', '用于拥有解密私钥的客户端。多数库不需要加密。'],
      },
      ...NOT,
    }),
    clientField('id_token_encrypted_response_enc', {
      schema: encs,
      meaning: 'The encryption of the text of its encrypted ID tokens.',
      byDefault: WITH_ALG,
      ...OF_ANSWERS,
      text: {
        en: ['ID token content encryption', 'The cipher of the token itself (enc).'],
        zh: ['ID 令牌内容加密', '令牌内容的加密算法（enc）。'],
      },
      ...BY_DEFAULT,
    }),
    clientField('userinfo_encrypted_response_alg', {
      schema: algs,
      meaning:
        'Userinfo encrypts its answers to this client with this algorithm; signed before with `userinfo_signed_response_alg`, if that is set.',
      byDefault: 'none: not encrypted',
      ...OF_ANSWERS,
      text: {
        en: ['Userinfo encryption algorithm', 'Responses are JWTs that only the client can decrypt.'],
        zh: ['userinfo 加密算法', '响应为只有客户端能读取的 JWT。'],
      },
      ...NOT,
    }),
    clientField('userinfo_encrypted_response_enc', {
      schema: encs,
      meaning: 'The encryption of the text of its encrypted userinfo answers.',
      byDefault: WITH_ALG,
      ...OF_ANSWERS,
      text: {
        en: ['Userinfo content encryption', 'The cipher of the response itself (enc).'],
        zh: ['userinfo 内容加密', '响应内容的加密算法（enc）。'],
      },
      ...BY_DEFAULT,
    }),
    clientField('authorization_encrypted_response_alg', {
      schema: algs,
      meaning:
        'Its signed authorization responses (JARM) are encrypted with this algorithm. It gets no other ones then: without `response_mode` they are signed and encrypted too, errors included.',
      byDefault: 'none: signed only',
      ...OF_ANSWERS,
      text: {
        en: ['Authorization response encryption algorithm', 'All responses to this client are then encrypted (JARM).'],
        zh: ['授权响应加密算法', '设置后，客户端不会收到明文响应（JARM）。'],
      },
      ...NOT,
    }),
    clientField('authorization_encrypted_response_enc', {
      schema: encs,
      meaning: 'The encryption of the text of its encrypted authorization responses.',
      byDefault: WITH_ALG,
      ...OF_ANSWERS,
      text: {
        en: ['Authorization response content encryption', 'The cipher of the response itself (enc).'],
        zh: ['授权响应内容加密', '响应内容的加密算法（enc）。'],
      },
      ...BY_DEFAULT,
    }),
    clientField('introspection_encrypted_response_alg', {
      schema: algs,
      meaning:
        'Introspection answers this client with a signed JWT that is encrypted with this algorithm (RFC 9701), whatever its `Accept` says.',
      byDefault: 'none: not encrypted',
      ...OF_ANSWERS,
      text: {
        en: ['Introspection encryption algorithm', 'All introspection responses to this client are then encrypted.'],
        zh: ['内省响应加密算法', '设置后，客户端不会收到明文的内省响应。'],
      },
      ...NOT,
    }),
    clientField('introspection_encrypted_response_enc', {
      schema: encs,
      meaning: 'The encryption of the text of its encrypted introspection answers.',
      byDefault: WITH_ALG,
      ...OF_ANSWERS,
      text: {
        en: ['Introspection content encryption', 'The cipher of the response itself (enc).'],
        zh: ['内省响应内容加密', '响应内容的加密算法（enc）。'],
      },
      ...BY_DEFAULT,
    }),
    clientField('request_object_encryption_alg', {
      schema: algs,
      meaning:
        'The client may encrypt its signed authorization requests with this algorithm, to the key of the application that `/jwks` lists for it.',
      byDefault: 'none: the client cannot send encrypted ones',
      ...OF_REQUESTS,
      text: {
        en: [
          'Request object encryption algorithm',
          'The application publishes a key, and the client can encrypt its requests to it.',
        ],
        zh: ['授权请求加密算法', '应用会为此发布密钥，客户端可用其加密请求。'],
      },
      ...NOT,
    }),
    clientField('request_object_encryption_enc', {
      schema: encs,
      meaning: 'The encryption of the text of its encrypted requests.',
      byDefault: WITH_ALG,
      ...OF_REQUESTS,
      text: {
        en: ['Request object content encryption', 'The cipher of the request itself (enc).'],
        zh: ['授权请求内容加密', '请求内容的加密算法（enc）。'],
      },
      ...BY_DEFAULT,
    }),
  ] satisfies ClientField[],
};
