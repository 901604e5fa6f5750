import { get, post } from '../../../build/client.ts';
import { type Case, HUSH } from './world.ts';

export const logoutCases: readonly Case[] = [
  {
    row: 'postLogoutRedirectUriUntrusted',
    name: 'a trailing slash after logout',
    refuse: ({ server }) =>
      get(
        `${server.at()}/logout?client_id=web&post_logout_redirect_uri=${encodeURIComponent('https://client.example/bye/')}`,
      ),
    client: 'web',
    kinds: ['trailing-slash'],
    call: 'PATCH /applications/shop/clients/web {"post_logout_redirect_uris":["https://client.example/bye","https://client.example/bye/"]}',
    failed: 'return address compared',
  },
  {
    row: 'logoutClientMismatch',
    name: 'another client than that of the id_token_hint',
    refuse: async ({ server }) => {
      const answered = await post(
        `${server.at()}/token`,
        { grant_type: 'password', username: 'alice', password: 'correct horse battery staple' },
        { auth: `Basic ${Buffer.from('web:web-secret-1').toString('base64')}` },
      );
      return get(`${server.at()}/logout?client_id=other&id_token_hint=${answered.json.id_token}`);
    },
    expected: /client web, to which the id_token_hint was issued/,
    kinds: ['another-client'],
    failed: 'client recognised',
  },
  {
    row: 'logoutClientMismatch',
    name: 'a client that does not exist',
    refuse: ({ server }) => get(`${server.at()}/logout?client_id=${HUSH}`),
    kinds: ['unknown'],
    failed: 'client recognised',
  },
];
