import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { type DeclaredFields, oneOf, providerField } from '../../directory/fields/declaration.fields.ts';
import { providerAuthMethods } from '../../directory/providers/rules.ts';
import { oauthTypes, openidTypes } from './presets.rules.ts';

const webAddress = z
  .string()
  .max(2000, 'must have at most 2000 characters')
  .refine(text => /^https?:\/\/[^/?#]/.test(text) && URL.canParse(text), 'must be an https address')
  .refine(text => !/[?#]/.test(text), 'must have neither a query nor a fragment');

/** It may have a query (RFC 6749 section 3.1). */
const endpointAddress = z
  .string()
  .max(2000, 'must have at most 2000 characters')
  .refine(text => /^https?:\/\/[^/?#]/.test(text) && URL.canParse(text), 'must be an https address')
  .refine(text => !text.includes('#'), 'must have no fragment');

/** A key that signs nothing would be told at the first sign-in only. */
function appleKeyFault(
  value: unknown,
  { type, team_id, key_id }: Readonly<Record<string, unknown>>,
): string | undefined {
  if (type !== 'apple' || typeof value !== 'string' || !value.includes('PRIVATE KEY')) return undefined;
  if (!team_id || !key_id) return 'is a private key, so team_id and key_id are needed too';
  try {
    const { asymmetricKeyDetails } = createPrivateKey(value);
    return asymmetricKeyDetails?.namedCurve === 'prime256v1' ? undefined : 'must be a key of the curve P-256';
  } catch {
    return 'is no private key in PEM';
  }
}

const text = (most: number) => z.string().min(1, 'must not be empty').max(most, `must have at most ${most} characters`);

const clientTypes = [...openidTypes, ...oauthTypes];

export const openidConnectFields: DeclaredFields = {
  provider: [
    providerField('issuer', {
      schema: webAddress.optional(),
      meaning:
        'The issuer of the provider, exactly as its metadata name it. The addresses and keys come from `{issuer}/.well-known/openid-configuration`. Of a preset: another server of the kind, such as a GitLab of your own. Of `oauth`: what `iss` of its answers (RFC 9207) has to be.',
      types: [...openidTypes, 'oauth'],
      neededBy: ['oidc', 'gatehouse'],
      byDefault: 'that of the service',
      section: 'connection',
      control: 'text',
      text: {
        en: ['Issuer', 'The provider’s issuer URL. Addresses and keys are read from its metadata.'],
        zh: ['签发者（issuer）', '提供方的签发者地址，其端点和密钥从元数据中读取。'],
      },
    }),
    providerField('client_id', {
      schema: text(255).optional(),
      meaning: 'What this server is called at the provider.',
      types: clientTypes,
      neededBy: clientTypes,
      section: 'connection',
      control: 'text',
      text: {
        en: ['Client ID', 'From the registration of this server at the provider.'],
        zh: ['客户端 ID', '在提供方处注册本服务器时获得。'],
      },
    }),
    providerField('client_secret', {
      schema: text(1000).optional(),
      meaning:
        'The secret that the provider has issued. It is encrypted, and shown and exported nowhere. Of Apple: the private key (PEM) with `team_id` and `key_id`, by which a secret is made for each request, or a secret that you have made.',
      types: clientTypes,
      isSecret: true,
      fault: appleKeyFault,
      section: 'connection',
      control: 'password',
      text: {
        en: ['Client secret', 'From the registration at the provider. It is stored encrypted and not shown again.'],
        zh: ['客户端密钥', '在提供方处注册时获得，加密存储，不再显示。'],
      },
    }),
    providerField('token_endpoint_auth_method', {
      schema: oneOf(providerAuthMethods).optional(),
      meaning: `How this server authenticates at the token endpoint of the provider: ${providerAuthMethods.map(each => `\`${each}\``).join(', ')}. The keys of \`private_key_jwt\` are made by this server, and published at \`{base_url}/login/provider/{id}/jwks\`.`,
      byDefault: '`client_secret_basic` with a secret (of Apple `client_secret_post`), otherwise `none`',
      unset: {
        en: 'client_secret_basic with a secret, otherwise none',
        zh: '有密钥时为 client_secret_basic，否则为 none',
      },
      types: clientTypes,
      section: 'connection',
      text: {
        en: ['Client authentication', 'How this server authenticates at the provider.'],
        zh: ['客户端身份验证', '本服务器向提供方验证身份的方式。'],
      },
    }),
    providerField('scope', {
      schema: z
        .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be a scope'))
        .max(50, 'must have at most 50 entries')
        .optional(),
      meaning: 'What is asked of the provider.',
      byDefault: '`openid`, `profile`, `email`, or what the service needs for these',
      whenEmpty: { en: 'what the service needs for the profile and address', zh: '该服务提供资料和邮箱所需的范围' },
      types: clientTypes,
      section: 'connection',
      control: 'words',
      text: {
        en: ['Scope', 'What is asked of the provider: openid, profile and email unless you name others.'],
        zh: ['范围（scope）', '向提供方请求的范围，默认为 openid、profile 和 email。'],
      },
    }),
    providerField('tenant', {
      schema: z
        .string()
        .regex(
          /^[A-Za-z0-9][A-Za-z0-9.-]{0,99}$/,
          'must be the id or domain of a tenant, or common, organizations or consumers',
        )
        .optional(),
      meaning:
        'Of Microsoft: the tenant whose people sign in, by id or domain. `organizations`: of every organisation; `consumers`: personal accounts; `common`: both.',
      byDefault: '`common`',
      types: ['microsoft'],
      section: 'connection',
      control: 'text',
      text: {
        en: ['Tenant', 'The ID or domain of your Entra tenant. Without it, every Microsoft account can sign in.'],
        zh: ['租户', 'Entra 租户的 ID 或域名。留空则任何 Microsoft 账户都可以登录。'],
      },
    }),
    providerField('team_id', {
      schema: text(50).optional(),
      meaning: 'Of Apple: the id of your team, where `client_secret` is a private key.',
      types: ['apple'],
      section: 'connection',
      control: 'text',
      text: {
        en: ['Team ID', 'From your Apple developer account.'],
        zh: ['团队 ID', '来自您的 Apple 开发者账户。'],
      },
    }),
    providerField('key_id', {
      schema: text(50).optional(),
      meaning: 'Of Apple: the id of that private key.',
      types: ['apple'],
      section: 'connection',
      control: 'text',
      text: {
        en: ['Key ID', 'Of the private key that is the client secret.'],
        zh: ['密钥 ID', '作为客户端密钥的私钥的 ID。'],
      },
    }),
    providerField('authorization_endpoint', {
      schema: endpointAddress.optional(),
      meaning:
        'Of a provider without OpenID Connect: where people sign in (RFC 6749 section 3.1). Of `github`: that of your own server.',
      types: oauthTypes,
      neededBy: ['oauth'],
      section: 'connection',
      control: 'text',
      text: {
        en: ['Authorization endpoint', 'Where people sign in.'],
        zh: ['授权端点', '用户登录的地址。'],
      },
    }),
    providerField('token_endpoint', {
      schema: endpointAddress.optional(),
      meaning: 'The same: where a code becomes an access token.',
      types: oauthTypes,
      neededBy: ['oauth'],
      section: 'connection',
      control: 'text',
      text: {
        en: ['Token endpoint', 'Where a code becomes an access token.'],
        zh: ['令牌端点', '用授权码换取访问令牌的地址。'],
      },
    }),
    providerField('userinfo_endpoint', {
      schema: endpointAddress.optional(),
      meaning: 'The same: what the access token opens, a JSON object about the person.',
      types: oauthTypes,
      neededBy: ['oauth'],
      section: 'connection',
      control: 'text',
      text: {
        en: ['Userinfo endpoint', 'Returns a JSON object about the person for the access token.'],
        zh: ['用户信息端点', '凭访问令牌返回用户信息（JSON）的地址。'],
      },
    }),
    providerField('subject_claim', {
      schema: text(200).optional(),
      meaning:
        'The field of that object that says who the person is: a text or number that is never given to another person. Never an e-mail address.',
      byDefault: '`sub`, of GitHub `id`',
      types: oauthTypes,
      section: 'claims',
      control: 'text',
      text: {
        en: ['Subject', 'The field that says who the person is, and never changes.'],
        zh: ['主体字段', '标识用户且永不改变的字段。'],
      },
    }),
  ],
};
