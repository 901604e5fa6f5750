import { z } from 'zod';
import { type DeclaredFields, oneOf, providerField } from '../../directory/fields/declaration.fields.ts';
import { providerAuthMethods } from '../../directory/providers/rules.ts';

const webAddress = z
  .string()
  .max(2000, 'must have at most 2000 characters')
  .refine(text => /^https?:\/\/[^/?#]/.test(text) && URL.canParse(text), 'must be an https address')
  .refine(text => !/[?#]/.test(text), 'must have neither a query nor a fragment');

const text = (most: number) => z.string().min(1, 'must not be empty').max(most, `must have at most ${most} characters`);

export const openidConnectFields: DeclaredFields = {
  provider: [
    providerField('issuer', {
      schema: webAddress.optional(),
      meaning:
        'The issuer of the provider, exactly as its metadata name it. The addresses and keys come from `{issuer}/.well-known/openid-configuration`.',
      types: ['oidc'],
      neededBy: ['oidc'],
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
      types: ['oidc'],
      neededBy: ['oidc'],
      section: 'connection',
      control: 'text',
      text: {
        en: ['Client ID', 'From the registration of this server at the provider.'],
        zh: ['客户端 ID', '在提供方处注册本服务器时获得。'],
      },
    }),
    providerField('client_secret', {
      schema: text(1000).optional(),
      meaning: 'The secret that the provider has issued. It is encrypted, and shown and exported nowhere.',
      types: ['oidc'],
      isSecret: true,
      section: 'connection',
      control: 'password',
      text: {
        en: ['Client secret', 'From the registration at the provider. It is stored encrypted and not shown again.'],
        zh: ['客户端密钥', '在提供方处注册时获得，加密存储，不再显示。'],
      },
    }),
    providerField('token_endpoint_auth_method', {
      schema: oneOf(providerAuthMethods).optional(),
      meaning: `How this server authenticates at the token endpoint of the provider: ${providerAuthMethods.map(each => `\`${each}\``).join(', ')}.`,
      byDefault: '`client_secret_basic` with a secret, otherwise `none`',
      unset: {
        en: 'client_secret_basic with a secret, otherwise none',
        zh: '有密钥时为 client_secret_basic，否则为 none',
      },
      types: ['oidc'],
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
      byDefault: '`openid`, `profile`, `email`',
      whenEmpty: { en: 'openid profile email', zh: 'openid profile email' },
      types: ['oidc'],
      section: 'connection',
      control: 'words',
      text: {
        en: ['Scope', 'What is asked of the provider: openid, profile and email unless you name others.'],
        zh: ['范围（scope）', '向提供方请求的范围，默认为 openid、profile 和 email。'],
      },
    }),
  ],
};
