import { z } from 'zod';
import {
  applicationField,
  clientField,
  type DeclaredFields,
  seconds,
  YEAR_SECONDS,
} from '../../directory/fields/declaration.fields.ts';
import { DEFAULT_REFRESH_FAMILY_TTL, defaultRefreshGrace, MAX_REFRESH_GRACE } from './rules.ts';

const [GRACE, PUBLIC_GRACE] = [defaultRefreshGrace('client_secret_basic'), defaultRefreshGrace('none')];

export const refreshFields: DeclaredFields = {
  client: [
    clientField('refresh_token_rotation', {
      schema: z.boolean().default(true),
      meaning:
        'Each use of a refresh token gives a new one. Cannot be turned off with `token_endpoint_auth_method: none`: only rotation shows that a token was stolen.',
      section: 'tokens',
      text: {
        en: [
          'Rotate refresh tokens',
          'Each use returns a new token. A second use of an old one shows that it was stolen, and ends the sign-in.',
        ],
        zh: ['轮换刷新令牌', '每次使用都会得到新令牌；旧令牌被再次使用说明已被盗，登录随即结束。'],
      },
    }),
    clientField('refresh_token_grace', {
      schema: seconds(0, MAX_REFRESH_GRACE).optional(),
      meaning: `Seconds for which the previous refresh token can be used again, in case a response was lost: at most ${MAX_REFRESH_GRACE}.`,
      byDefault: `\`${GRACE}\`; \`${PUBLIC_GRACE}\` with \`token_endpoint_auth_method: none\``,
      section: 'tokens',
      text: {
        en: [
          'Refresh token reuse interval (seconds)',
          `How long the previous token can be used again, in case a response was lost. 0 to ${MAX_REFRESH_GRACE}.`,
        ],
        zh: ['轮换宽限（秒）', `应答丢失时，可在此时间内重复使用上一个令牌。0 至 ${MAX_REFRESH_GRACE}。`],
      },
      whenEmpty: {
        en: `${GRACE}, or ${PUBLIC_GRACE} without a secret`,
        zh: `${GRACE}，无密钥时为 ${PUBLIC_GRACE}`,
      },
    }),
  ],
  application: [
    applicationField('refresh_token_ttl', {
      schema: seconds(1, 10 * YEAR_SECONDS).default(2_592_000),
      meaning: 'Seconds for which a refresh token is valid if it is not used.',
      section: 'tokens',
      text: {
        en: ['Refresh token lifetime (seconds)', 'How long a refresh token is valid if it is not used.'],
        zh: ['刷新令牌（秒）', '刷新令牌未使用时的有效期。'],
      },
    }),
    applicationField('refresh_family_ttl', {
      schema: seconds(1, 10 * YEAR_SECONDS).default(DEFAULT_REFRESH_FAMILY_TTL),
      meaning: 'Seconds after a login at which its refresh tokens expire, however often they were refreshed.',
      section: 'tokens',
      text: {
        en: [
          'Maximum sign-in lifetime (seconds)',
          'After this time the user must sign in again, however often the client has refreshed its tokens.',
        ],
        zh: ['最长登录时间（秒）', '超过此时间后，无论客户端刷新多少次，用户都需要重新登录。'],
      },
    }),
  ],
};
