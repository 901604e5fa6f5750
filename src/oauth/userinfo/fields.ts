import { z } from 'zod';
import { claimsForms } from '../../directory/clients/rules.ts';
import {
  applicationField,
  clientField,
  type DeclaredFields,
  seconds,
  YEAR_SECONDS,
} from '../../directory/fields/declaration.fields.ts';
import { acrList } from '../authorize/fields.ts';
import { signingAlg } from '../signing-keys/fields.ts';

export const userinfoFields: DeclaredFields = {
  client: [
    clientField('userinfo_claims', {
      schema: z.enum(claimsForms, 'must be documented or standard').default('documented'),
      meaning:
        'The form of claims at userinfo. `documented`: `updated_at` is a text, and unset claims can be empty. `standard`: the types of OpenID Connect Core, without unset claims; always under `strict_oidc`.',
      own: 'value',
      section: 'tokens',
      text: {
        en: [
          'Userinfo claims format',
          'Standard is what most libraries expect. Documented is for clients of the documented interface: updated_at is a text, and claims without a value can be empty.',
        ],
        zh: [
          'userinfo 的声明',
          '大多数库需要“标准”。“文档接口”用于按文档接口编写的客户端：updated_at 为文本，未设置的声明可以为空。',
        ],
      },
      choices: {
        en: { documented: 'Documented interface', standard: 'Standard (OpenID Connect)' },
        zh: { documented: '文档接口', standard: '标准（OpenID Connect）' },
      },
    }),
    clientField('userinfo_signed_response_alg', {
      schema: signingAlg.optional(),
      meaning:
        'Userinfo answers this client with a JWT that is signed with this algorithm, with `iss` and `aud` (OpenID Connect Core section 5.3.2).',
      byDefault: 'plain JSON',
      own: 'value',
      section: 'tokens',
      text: {
        en: [
          'Userinfo signing algorithm',
          'For a client that expects signed responses. Most libraries expect plain JSON.',
        ],
        zh: ['userinfo 签名算法', '用于要求签名响应的客户端。多数库需要普通 JSON。'],
      },
      unset: { en: 'Not signed (JSON)', zh: '不签名（JSON）' },
    }),
  ],
  application: [
    applicationField('userinfo_acr_values', {
      schema: acrList.optional(),
      meaning: 'Userinfo answers only tokens of a login of one of these classes, or a stronger one (RFC 9470).',
      see: 'step-up.md',
      section: 'tokens',
      control: 'words',
      text: {
        en: [
          'Required authentication level (acr) for userinfo',
          '1, 2 or phr, separated by spaces. Userinfo rejects tokens of a weaker login, and tells the client which level to request (step-up, RFC 9470).',
        ],
        zh: [
          'userinfo 要求的登录级别',
          '1、2 或 phr，以空格分隔：userinfo 只应答达到此级别的登录的令牌，否则要求客户端重新请求（RFC 9470）。留空则不限制。',
        ],
      },
    }),
    applicationField('userinfo_max_age', {
      schema: seconds(0, YEAR_SECONDS).optional(),
      meaning: 'Userinfo answers only tokens of a login that is not older, in seconds (RFC 9470).',
      see: 'step-up.md',
      section: 'tokens',
      text: {
        en: [
          'Maximum session age for userinfo (seconds)',
          'Userinfo rejects tokens of an older login, and tells the client to request a new one (step-up, RFC 9470).',
        ],
        zh: [
          'userinfo 要求的登录时间（秒）',
          'userinfo 只应答登录不超过此时间的令牌，否则要求客户端重新请求登录。留空则不限制。',
        ],
      },
    }),
  ],
};
