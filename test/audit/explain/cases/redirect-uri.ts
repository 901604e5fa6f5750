import { CALLBACK } from '../../../build/fixture.ts';
import { authorize, type Case, LOCAL_CALLBACK } from './world.ts';

const untrusted = (name: string, sent: string, rest: Partial<Case> & Pick<Case, 'kinds'>): Case => ({
  row: 'redirectUriUntrusted',
  name,
  refuse: authorize({ redirect_uri: sent }),
  client: 'web',
  received: new RegExp(`^redirect_uri: ${sent.replace(/[.?+*]/g, '\\$&')}$`),
  failed: 'redirect URI compared',
  ...rest,
});

const adding = (uri: string) =>
  `PATCH /applications/shop/clients/web {"redirect_uris":["${CALLBACK}","https://client.example/silent","${uri}"]}`;

const REGISTERED = 'https://client.example/cb, https://client.example/silent';

export const redirectUriCases: readonly Case[] = [
  untrusted('a trailing slash', `${CALLBACK}/`, {
    expected: new RegExp(`one of ${REGISTERED}`),
    kinds: ['trailing-slash'],
    difference: /The received one ends with a slash, the registered one does not\./,
    fix: /Send https:\/\/client\.example\/cb exactly\. Or register the received address as it is\./,
    call: adding(`${CALLBACK}/`),
  }),
  untrusted('another path', 'https://client.example/callback', {
    kinds: ['path'],
    call: adding('https://client.example/callback'),
  }),
  untrusted('another case of the path', 'https://client.example/CB', {
    kinds: ['case'],
    call: adding('https://client.example/CB'),
  }),
  untrusted('an extra query', `${CALLBACK}?lang=de`, {
    kinds: ['extra-query'],
    difference: /\(lang\)/,
  }),
  untrusted('http in the place of https', 'http://client.example/cb', {
    kinds: ['scheme'],
    fix: /cannot be registered: it must use https/,
  }),
  untrusted('another port', 'https://client.example:8443/cb', {
    kinds: ['port'],
    fix: /only if it belongs to the client/,
  }),
  untrusted('another host, which anyone can send: no call is offered', 'https://evil.example/cb', {
    kinds: ['host'],
    fix: /only if it belongs to the client: anyone can send this request/,
  }),
  untrusted('encoded twice', encodeURIComponent(CALLBACK), { kinds: ['encoding'], difference: /it was encoded twice/ }),
  untrusted('a fragment', `${CALLBACK}#x`, {
    kinds: ['fragment'],
    fix: /cannot be registered: it must not have a fragment/,
  }),
  {
    ...untrusted('another port of localhost', 'http://localhost:4000/cb', { kinds: ['port'] }),
    refuse: authorize({ client_id: 'local', redirect_uri: 'http://localhost:4000/cb' }),
    client: 'local',
    expected: new RegExp(LOCAL_CALLBACK),
    difference: /for a client without a secret only/,
    call: 'PATCH /applications/shop/clients/local {"redirect_uris":["http://localhost:3000/cb","http://localhost:4000/cb"]}',
  },
];
