import { clientField, type DeclaredFields, oneOf } from '../../directory/fields/declaration.fields.ts';
import { profiles } from './profiles.rules.ts';

export const fapiFields: DeclaredFields = {
  client: [
    clientField('profile', {
      schema: oneOf(profiles).optional(),
      meaning:
        'The client keeps to FAPI 2.0: `fapi2-security` (pushed requests, PKCE, `private_key_jwt` or a TLS certificate, bound tokens), or `fapi2-message-signing` (signed requests and responses too). It sets the fields that are not named, and what stands against it is refused.',
      see: 'fapi.md',
      byDefault: 'none',
      own: 'value',
      section: 'authentication',
      text: {
        en: [
          'Security profile',
          'FAPI 2.0, for banks and health: pushed requests, PKCE, keys or certificates, and bound tokens. Settings that conflict with it cannot be saved.',
        ],
        zh: ['安全规范', 'FAPI 2.0，用于金融和医疗：推送请求、PKCE、密钥或证书、绑定令牌。与之冲突的设置无法保存。'],
      },
      choices: {
        en: {
          'fapi2-security': 'FAPI 2.0 Security Profile',
          'fapi2-message-signing': 'FAPI 2.0 Message Signing',
        },
        zh: {
          'fapi2-security': 'FAPI 2.0 安全规范',
          'fapi2-message-signing': 'FAPI 2.0 消息签名',
        },
      },
      unset: { en: 'None', zh: '无' },
    }),
  ],
};
