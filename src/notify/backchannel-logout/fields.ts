import { clientField, type DeclaredFields } from '../../directory/fields/declaration.fields.ts';
import { redirectUri } from '../../oauth/authorize/fields.ts';

export const backchannelLogoutFields: DeclaredFields = {
  client: [
    clientField('backchannel_logout_uri', {
      schema: redirectUri.refine(uri => /^https?:/i.test(uri), 'must be an http or https address').optional(),
      meaning: 'Gets a signed logout token when a session of the client ends (OpenID Connect Back-Channel Logout).',
      section: 'addresses',
      text: {
        en: ['Back-channel logout URI', 'Receives a signed logout token when a session of this client ends.'],
        zh: ['后端退出地址', '此客户端的会话结束时，会收到已签名的退出令牌。留空则不通知。'],
      },
    }),
  ],
};
