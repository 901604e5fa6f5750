import { clientField, type DeclaredFields } from '../../directory/fields/declaration.fields.ts';
import { redirectUris } from '../authorize/fields.ts';

export const logoutFields: DeclaredFields = {
  client: [
    clientField('post_logout_redirect_uris', {
      schema: redirectUris,
      meaning: 'Where the browser may go after a logout, compared character by character.',
      own: 'list',
      section: 'addresses',
      text: {
        en: ['Post-logout redirect URIs', 'One per line. Where users can be redirected after signing out.'],
        zh: ['退出后的重定向 URI', '每行一个。用户退出登录后可以前往的地址。'],
      },
    }),
  ],
};
