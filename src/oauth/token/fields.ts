import { z } from 'zod';
import {
  applicationField,
  clientField,
  type DeclaredFields,
  seconds,
  YEAR_SECONDS,
} from '../../directory/fields/declaration.fields.ts';

export const tokenFields: DeclaredFields = {
  client: [
    clientField('id_token_claims', {
      schema: z.enum(['scope', 'minimal'], 'must be scope or minimal').optional(),
      meaning:
        'Whether the ID tokens of the token endpoint have the claims of the granted `scope`, or no profile claims (`minimal`).',
      byDefault: '`scope`; `minimal` under `strict_oidc`',
      section: 'tokens',
      text: {
        en: [
          'ID token claims',
          'Claims of the scope, or minimal: the client then gets the name and e-mail address from userinfo.',
        ],
        zh: ['ID 令牌的声明', '包含范围内的声明，或最少声明：客户端另从 userinfo 获取姓名和电子邮件。'],
      },
      choices: {
        en: { scope: 'Claims of the scope', minimal: 'Minimal' },
        zh: { scope: '范围内的声明', minimal: '最少声明' },
      },
      unset: { en: 'Application default', zh: '由应用决定' },
    }),
    clientField('access_token_format', {
      schema: z.enum(['opaque', 'jwt'], 'must be opaque or jwt').default('opaque'),
      meaning:
        '`opaque`: an API asks the introspection endpoint. `jwt` (RFC 9068): an API verifies the signature itself.',
      section: 'tokens',
      text: {
        en: [
          'Access token format',
          'Opaque: an API asks the introspection endpoint, and a revoked token ends at once. JWT: an API verifies the signature itself.',
        ],
        zh: ['访问令牌', '不透明：API 向内省端点查询，撤销后立即失效。JWT：API 自行验证签名。'],
      },
      choices: {
        en: { opaque: 'Opaque', jwt: 'JWT (RFC 9068)' },
        zh: { opaque: '不透明', jwt: 'JWT（RFC 9068）' },
      },
    }),
  ],
  application: [
    applicationField('access_token_ttl', {
      schema: seconds(1, YEAR_SECONDS).default(3600),
      meaning: 'Seconds for which an access token is valid.',
      section: 'tokens',
      text: {
        en: ['Access token lifetime (seconds)', 'How long an access token is valid.'],
        zh: ['访问令牌（秒）', '访问令牌的有效期。'],
      },
    }),
    applicationField('id_token_ttl', {
      schema: seconds(1, YEAR_SECONDS).default(3600),
      meaning: 'Seconds for which an ID token is valid.',
      section: 'tokens',
      text: {
        en: ['ID token lifetime (seconds)', 'How long an ID token is valid.'],
        zh: ['ID 令牌（秒）', 'ID 令牌的有效期。'],
      },
    }),
  ],
};
