import { TOKEN_EXCHANGE } from '../../../src/oauth/token-exchange/rules.ts';
import { type Answered, aTokenSet, basic, type Sending, token } from '../../build/client.ts';
import { type ApplicationInput, aClient, anApplication, type ClientInput } from '../../build/fixture.ts';
import type { ServerAddress } from '../../build/test-server.ts';
import type { Fields } from '../../build/visitor.ts';

/** Users call the orders API by the web client; the orders API calls the stock API and the mail API for them. */
export const ORDERS = 'https://orders.shop.example';
export const STOCK = 'https://stock.shop.example';
export const MAIL = 'urn:shop:mail';
export const PLAIN = 'urn:shop:plain';

export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
export const JWT = 'urn:ietf:params:oauth:token-type:jwt';

export const apis: NonNullable<ApplicationInput['apis']> = [
  {
    ...{ identifier: ORDERS, name: 'Orders' },
    scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders', list: 'List orders' },
  },
  {
    ...{ identifier: STOCK, name: 'Stock', access_token_ttl: 600 },
    scopes: { 'stock:read': 'Read the stock', 'stock:write': 'Change the stock', list: 'List the stock' },
  },
  { identifier: MAIL, name: 'Mail', scopes: { 'mail:send': 'Send mails' }, access_token_format: 'jwt' },
  { identifier: PLAIN, name: 'Plain', access_token_format: 'opaque' },
];

export const policies: NonNullable<ApplicationInput['token_exchange']> = [
  { from: ORDERS, to: STOCK, scopes: ['stock:read', 'list'] },
  { from: STOCK, to: MAIL, scopes: ['mail:send'] },
  { from: STOCK, to: ORDERS, scopes: ['orders:read', 'orders:write'] },
  { from: 'orders-api', to: MAIL, scopes: 'mail:send' },
  { from: 'web', to: PLAIN },
];

const secretOf = (clientId: string) => `${clientId}-secret-1`;
export const as = (clientId: string): Sending => ({ auth: basic(clientId, secretOf(clientId)) });

export const exchanger = (client_id: string, own: readonly string[], over: ClientInput = {}): ClientInput =>
  aClient({
    ...{ client_id, client_secret: secretOf(client_id), redirect_uris: [], apis: [...own] },
    ...{ grant_types: [TOKEN_EXCHANGE, 'client_credentials'], scope: 'orders:read', ...over },
  });

const SCOPE = 'openid profile orders:read orders:write list stock:read';

export const aShop = (over: Partial<ApplicationInput> = {}): ApplicationInput =>
  anApplication({
    ...{ apis, token_exchange: policies },
    clients: [
      aClient({ scope: SCOPE, grant_types: ['authorization_code', 'refresh_token', 'password', TOKEN_EXCHANGE] }),
      exchanger('orders-api', [ORDERS]),
      exchanger('stock-api', [STOCK]),
      exchanger('loop-api', [ORDERS, STOCK]),
      exchanger('stranger', []),
      aClient({ client_id: 'no-grant', client_secret: secretOf('no-grant'), apis: [ORDERS] }),
    ],
    ...over,
  });

export const exchange = (
  server: ServerAddress,
  subject: string,
  over: Fields = {},
  clientId = 'orders-api',
  app?: string,
): Promise<Answered> => {
  const fields = { grant_type: TOKEN_EXCHANGE, subject_token: subject, subject_token_type: ACCESS_TOKEN, ...over };
  return token(server, fields, as(clientId), app);
};

/** An access token of alice for the orders API, issued to the web client. */
export const forOrders = async (server: ServerAddress, scope = 'openid orders:read', over: Fields = {}) =>
  (await aTokenSet(server, { scope, resource: ORDERS, ...over })).access_token as string;
