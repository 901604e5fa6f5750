import { z } from 'zod';
import { type DeclaredFields, providerField } from '../../directory/fields/declaration.fields.ts';
import { oauthTypes, openidTypes } from '../openid-connect/presets.rules.ts';

export const providerSessionFields: DeclaredFields = {
  provider: [
    providerField('sign_out', {
      schema: z.boolean().optional(),
      meaning:
        'Signing out here signs out there too, where the metadata of the provider say how (`end_session_endpoint`, or SingleLogoutService by HTTP-Redirect). With SAML the provider ends sessions here too, by a signed LogoutRequest. Register `{base_url}/login/provider/{id}/signed-out` there as the address to return to, and as the logout URL.',
      byDefault: '`false`',
      types: [...openidTypes, 'saml'],
      section: 'connection',
      control: 'check',
      text: {
        en: ['Sign out at the provider', 'Signing out here also ends the session at the provider.'],
        zh: ['同时退出提供方', '在此退出时也会结束在提供方的会话。'],
      },
    }),
    providerField('keep_tokens', {
      schema: z.boolean().optional(),
      meaning:
        'The tokens of the provider are kept, encrypted, for as long as the session. Token exchange alone hands the access token out, where a policy of the application leads to `urn:gatehouse:provider:{id}`.',
      byDefault: '`false`',
      types: [...openidTypes, ...oauthTypes],
      section: 'connection',
      control: 'check',
      text: {
        en: [
          'Keep provider tokens',
          'APIs of an application can get the provider’s access token of a user by token exchange.',
        ],
        zh: ['保留令牌', '应用的 API 可以通过令牌交换获取用户在提供方的访问令牌。'],
      },
    }),
  ],
};
