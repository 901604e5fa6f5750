import { z } from 'zod';
import {
  applicationField,
  checkedBy,
  clientField,
  type DeclaredFields,
  oneOf,
  seconds,
  YEAR_SECONDS,
} from '../../directory/fields/declaration.fields.ts';
import { acrValues } from '../../people/sign-in/acr.rules.ts';
import { registrationFault } from './redirect-uri.rules.ts';
import { responseTypes } from './response-type.rules.ts';

export const redirectUri = checkedBy(registrationFault);
export const redirectUris = z.array(redirectUri).default([]);
export const acrList = z.array(oneOf(acrValues)).min(1, 'must not be empty');

export const authorizeFields: DeclaredFields = {
  client: [
    clientField('redirect_uris', {
      schema: redirectUris,
      meaning:
        'Where the browser may come back to, compared character by character: https, or http on a loopback address. A client with `token_endpoint_auth_method: none` may also have a scheme of its own.',
      own: 'list',
      section: 'addresses',
      text: {
        en: [
          'Redirect URIs',
          'One per line. Users are redirected only to one of these, compared character by character; https, or http on a loopback address.',
        ],
        zh: ['重定向 URI', '每行一个。用户只会返回到其中之一，逐字符比较；使用 https，或回环地址上的 http。'],
      },
    }),
    clientField('response_types', {
      schema: z.array(oneOf(responseTypes)).min(1, 'must not be empty').optional(),
      meaning:
        'What the client may ask of the authorization endpoint: `code`, `id_token`, `id_token token`, the hybrid flow (`code id_token`, `code token`, `code id_token token`), or `none`, which returns nothing and only confirms that the user agrees.',
      byDefault: '`code` with the grant `authorization_code`; `id_token` and `id_token token` with `implicit`',
      see: 'hybrid-flow.md',
      own: 'list',
      section: 'access',
      control: 'boxes',
      text: {
        en: [
          'Response types',
          'What the authorization endpoint can return to the client. If none is selected, the grant types decide.',
        ],
        zh: ['响应类型', '授权端点的响应可以包含的内容。未选择时由授权方式决定。'],
      },
    }),
    clientField('default_acr_values', {
      schema: acrList.optional(),
      meaning:
        'The level of authentication where a request has no `acr_values`, in the order of preference: `phr` is a passkey with user verification, `2` two factors, `1` one.',
      own: 'value',
      section: 'access',
      control: 'words',
      text: {
        en: [
          'Default authentication level (acr)',
          'Used when a request has no acr_values: 2 for two factors, 1 for one. Separate several with spaces, in order of preference.',
        ],
        zh: ['认证级别', '请求未指定时使用：2 表示双重验证，1 表示单一验证。多个值以空格分隔，按优先顺序排列。'],
      },
    }),
    clientField('default_max_age', {
      schema: seconds(0, YEAR_SECONDS).optional(),
      meaning: 'Seconds after which the user signs in again, where a request has no `max_age`.',
      own: 'value',
      section: 'access',
      text: {
        en: [
          'Maximum session age (seconds)',
          'Used when a request has no max_age: after this time the user must sign in again.',
        ],
        zh: ['登录的最长时间（秒）', '请求未指定时使用：超过此时间后用户需要重新登录。'],
      },
      whenEmpty: { en: 'No limit', zh: '不限制' },
    }),
  ],
  application: [
    applicationField('strict_oidc', {
      schema: z.boolean().default(false),
      meaning: 'Responses follow OpenID Connect Core where the documented interface departs from it.',
      see: '#strict_oidc',
      section: 'tokens',
      text: {
        en: [
          'Strict OpenID Connect',
          'Responses follow the OpenID Connect specifications where the documented interface departs from them.',
        ],
        zh: ['严格 OpenID Connect', '完全按规范应答，不沿用文档接口的习惯。'],
      },
    }),
  ],
};
