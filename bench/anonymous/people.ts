import { type Endpoint, floods, manyMembers, own, step, withHeaders } from './case.ts';
import { get } from './request.ts';
import * as text from './text.ts';

export const people: readonly Endpoint[] = [
  {
    name: '/login',
    usual: get('/login'),
    dear: {
      ...floods('/login'),
      ...withHeaders(get('/login')),
      'pending of 64 KB': own('/login', `pending=${'A'.repeat(60_000)}`),
      'passkey of 60 KB': step('/login', `action=passkey&passkey=${encodeURIComponent(manyMembers).slice(0, 50_000)}`),
    },
  },
  {
    name: '/login, wrong password',
    usual: step('/login', ({ now }) => `username=nobody-${now}&password=wrong`),
    dear: {
      'password of 30 KB of combining characters': step(
        '/login',
        ({ now }) => `username=somebody-${now}&password=${text.MARKS.slice(0, 14_000)}`,
      ),
    },
    bounded: 'password hash',
  },
  {
    name: '/signup',
    usual: step('/signup', 'email=wrong'),
    dear: {
      'e-mail of 60 KB of combining characters': step('/signup', `email=${text.MARKS}`),
      'user name of 60 KB of combining characters': step('/signup', `email=a%40example.com&username=${text.MARKS}`),
      'password of 60 KB of combining characters': step('/signup', `email=a%40example.com&password=${text.MARKS}`),
      'e-mail of 60 KB': step('/signup', `email=${'a'.repeat(30_000)}@${'a.'.repeat(14_000)}`),
    },
  },
  ...['/login/totp', '/login/recovery', '/login/verify-email', '/login/new-password', '/consent'].map(path => ({
    name: path,
    usual: step(path, 'code=1'),
    dear: {
      '60 KB of combining characters': step(
        path,
        `code=${text.MARKS.slice(0, 20_000)}&password=${text.MARKS.slice(0, 9000)}&email=a`,
      ),
    },
  })),
  {
    name: '/forgot-password',
    usual: own('/forgot-password', 'username=a'),
    dear: {
      ...floods('/forgot-password'),
      '64 KB of combining characters': own('/forgot-password', `username=${text.MARKS}`),
      'pending of 60 KB': own('/forgot-password', `username=a&pending=${'A'.repeat(60_000)}`),
    },
  },
  {
    name: '/reset-password',
    usual: get('/reset-password?token=x'),
    dear: {
      'token of 40 KB': get(`/reset-password?token=${text.LONG_HEADER}`),
      'password of 60 KB of combining characters': own('/reset-password', `token=x&password=${text.MARKS}`),
    },
  },
  {
    name: '/device',
    usual: get('/device'),
    dear: {
      'user_code of 60 KB': own('/device', `user_code=${text.MARKS}`),
      'user_code of 40 KB': get(`/device?user_code=${text.PERCENTS}`),
    },
  },
  ...['/confirm-email', '/undo-email'].map(path => ({
    name: path,
    usual: get(`${path}?token=x`),
    dear: {
      'token of 40 KB': get(`${path}?token=${text.LONG_HEADER}`),
      '60 KB of combining characters': own(
        path,
        `token=x&username=${text.MARKS.slice(0, 14_000)}&password=${text.MARKS.slice(0, 14_000)}`,
      ),
    },
  })),
  {
    name: '/logout',
    usual: get('/logout'),
    dear: { 'pending of 40 KB': get(`/logout?pending=${text.LONG_HEADER}`), ...withHeaders(get('/logout')) },
  },
  { name: '/account', usual: get('/account'), dear: { ...floods('/account'), ...withHeaders(get('/account')) } },
  {
    name: '/console',
    usual: get('/console'),
    dear: {
      'form of 64 KB': own('/console/users/new', text.PAIRS_200),
      'form of 15 KB': own('/console/users/new', 'a='.concat('b'.repeat(15_000))),
      'query of 40 KB': get(`/console/users?q=${text.PERCENTS}`),
      ...withHeaders(get('/console')),
    },
  },
  {
    name: '/first-owner',
    usual: get('/first-owner?token=x'),
    dear: {
      '60 KB of combining characters': own(
        '/first-owner',
        `token=x&username=${text.MARKS.slice(0, 14_000)}&password=${text.MARKS.slice(0, 14_000)}`,
      ),
    },
  },
  { name: '/readyz', usual: get('/readyz'), dear: { '/metrics': get('/metrics'), '/healthz': get('/healthz') } },
  { name: '/', usual: get('/'), dear: withHeaders(get('/')) },
];
