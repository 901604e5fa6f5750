import { z } from 'zod';
import { clientField, type DeclaredFields } from '../../directory/fields/declaration.fields.ts';
import { redirectUri } from '../authorize/fields.ts';

export const frontchannelLogoutFields: DeclaredFields = {
  client: [
    clientField('frontchannel_logout_uri', {
      schema: redirectUri.refine(uri => /^https?:/i.test(uri), 'must be an http or https address').optional(),
      meaning:
        'Loaded in a frame of the page after a sign-out (OpenID Connect Front-Channel Logout), at an origin of one of the `redirect_uris`.',
      see: 'front-channel-logout.md',
      own: 'value',
      section: 'addresses',
      text: {
        en: [
          'Front-channel logout URI',
          'Loaded in an iframe after a sign-out. Browsers block its third-party cookies: prefer back-channel logout, which works everywhere.',
        ],
        zh: [
          '前端退出地址',
          '退出登录后的页面会在框架中加载此地址。浏览器不会向其发送第三方 Cookie：后端退出在任何情况下都有效。',
        ],
      },
    }),
    clientField('frontchannel_logout_session_required', {
      schema: z.boolean().default(false),
      meaning: 'The address gets `iss` and `sid`, so that the client ends this session alone.',
      see: 'front-channel-logout.md',
      own: 'demand',
      section: 'addresses',
      text: {
        en: ['Send the session ID with front-channel logout', 'The URI receives iss and sid, as in the ID token.'],
        zh: ['前端退出指明会话', '该地址会收到与 ID 令牌中相同的 iss 和 sid。'],
      },
    }),
  ],
};
