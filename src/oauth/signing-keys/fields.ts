import {
  applicationField,
  clientField,
  type DeclaredFields,
  oneOf,
} from '../../directory/fields/declaration.fields.ts';
import { DEFAULT_SIGNING_ALG, keyAlgs, signingAlgs } from './algorithms.rules.ts';

export const signingAlg = oneOf(signingAlgs);
export const keyAlg = oneOf(keyAlgs);

export const signingKeyFields: DeclaredFields = {
  client: [
    clientField('id_token_signed_response_alg', {
      schema: signingAlg.optional(),
      meaning: 'The algorithm that signs its ID tokens, logout tokens and JWT access tokens.',
      byDefault: 'that of the application',
      section: 'tokens',
      text: {
        en: ['ID token signing algorithm', 'RS256 works with every library.'],
        zh: ['ID 令牌签名算法', 'RS256 适用于所有库。'],
      },
      unset: { en: 'Application default', zh: '由应用决定' },
    }),
  ],
  application: [
    applicationField('id_token_signed_response_alg', {
      schema: signingAlg.default(DEFAULT_SIGNING_ALG),
      meaning: `The algorithm that signs ID tokens, logout tokens and JWT access tokens of clients that name none: one of ${signingAlgs.join(', ')}.`,
      section: 'tokens',
      text: {
        en: ['ID token signing algorithm', 'For clients that have none of their own. RS256 works with every library.'],
        zh: ['ID 令牌签名算法', '用于没有单独设置的客户端。RS256 适用于所有库。'],
      },
    }),
  ],
};
