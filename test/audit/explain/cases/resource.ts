import { aCode, aTokenSet, basic, redeem, token } from '../../../build/client.ts';
import { API, authorize, type Case, HUSH, OTHER_API } from './world.ts';

const client_id = 'orders';
const ORDERS = { auth: basic(client_id, 'web-secret-1') };
const withApi = (resource: string, scope?: string) => authorize({ client_id, resource, scope });

/** What is refused of the parameter `resource` (RFC 8707), and of scopes of APIs. */
export const resourceCases: readonly Case[] = [
  {
    row: 'targetInvalid',
    name: 'an API that the application does not have',
    refuse: withApi('https://elsewhere.example'),
    client: client_id,
    expected: /: https:\/\/api\.shop\.example and https:\/\/stock\.shop\.example$/,
    received: /resource: https:\/\/elsewhere\.example/,
    kinds: ['unknown'],
    failed: 'scope allowed',
  },
  {
    row: 'targetInvalid',
    name: 'an identifier with two slashes at its end',
    refuse: withApi(`${API.identifier}//`),
    client: client_id,
    kinds: ['misspelt'],
    difference: /it has https:\/\/api\.shop\.example\./,
    fix: /after an origin a slash/,
    failed: 'scope allowed',
  },
  {
    row: 'targetInvalid',
    name: 'what is no URI, and may be a secret',
    refuse: withApi(HUSH),
    client: client_id,
    kinds: ['malformed'],
    failed: 'scope allowed',
  },
  {
    row: 'targetInvalid',
    name: 'an API of which the client has no scope of its own',
    refuse: authorize({ client_id: 'other', resource: API.identifier }),
    client: 'other',
    kinds: ['not-allowed'],
    fix: /Add a scope of the API/,
    failed: 'scope allowed',
  },
  {
    row: 'targetInvalid',
    name: 'a scope that several APIs have, alone',
    refuse: authorize({ client_id, scope: 'openid list' }),
    client: client_id,
    received: /no resource/,
    kinds: ['unnamed'],
    fix: /as resource/,
    failed: 'scope allowed',
  },
  {
    row: 'targetInvalid',
    name: 'a code whose grant does not cover the API',
    refuse: async ({ server }) => {
      const code = await aCode(server, { client_id, scope: 'openid' });
      return redeem(server, code, { resource: API.identifier }, ORDERS);
    },
    client: client_id,
    kinds: ['not-covered'],
    fix: /in the authorization request/,
    failed: 'scope allowed',
  },
  {
    row: 'targetInvalid',
    name: 'a refresh for two APIs, of which the grant covers one',
    refuse: async ({ server }) => {
      const { refresh_token } = await aTokenSet(server, { scope: 'openid orders:read' }, ORDERS);
      const both = [API, OTHER_API].map(({ identifier }) => `resource=${encodeURIComponent(identifier)}`).join('&');
      return token(server, `grant_type=refresh_token&refresh_token=${refresh_token}&${both}`, ORDERS);
    },
    client: client_id,
    kinds: ['not-covered'],
    difference: /all APIs/,
    failed: 'scope allowed',
  },
  {
    row: 'scopeInvalid',
    name: 'a scope of an API, misspelt',
    refuse: authorize({ client_id, scope: 'openid orders:reed' }),
    client: client_id,
    kinds: ['misspelt'],
    difference: /there is orders:read\./,
    failed: 'scope allowed',
  },
];
