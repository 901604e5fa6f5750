import assert from 'node:assert/strict';
import { aCode, basic, redeem, token } from '../../build/client.ts';
import type { FixedClock } from '../../build/clock.ts';
import { type ApplicationInput, aClient, anApplication, aUser, PASSWORD, type UserInput } from '../../build/fixture.ts';
import { ID_JAG, ID_TOKEN, TOKEN_EXCHANGE } from '../../build/identity-assertion.ts';
import { firstInSuite } from '../../build/suite-part.ts';
import { suiteServer, type TestServer } from '../../build/test-server.ts';
import { answerIn, authorizationUrl, type Fields, formWith, type signIn, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';
import { agent, ORDERS } from './other-issuer.ts';

/**
 * Two real servers. People work at the first one, whose client `desk` signs them in; the shop is at the second one, where they sign in with
 * the first as the provider `house`. `desk` is the client `agent` there.
 */
export interface TwoServers {
  readonly home: TestServer;
  readonly shop: TestServer;
}

export interface TwoServersOptions {
  readonly clock: FixedClock;
  readonly desk?: object;
  readonly house?: object;
  readonly policy?: object;
  readonly home?: Partial<ApplicationInput>;
  readonly shop?: Partial<ApplicationInput>;
  readonly trust?: object;
  readonly people?: readonly UserInput[];
}

export const DESK = { auth: basic('desk', 'web-secret-1') };

const env = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' };

export function twoServers(options: TwoServersOptions): TwoServers {
  const { clock, people = [aUser()] } = options;
  const home: TestServer = suiteServer(() => ({ clock, env, users: people }));
  const shop: TestServer = suiteServer(() => ({ clock, env, users: [] }));
  firstInSuite(async () => {
    const house = aClient({
      ...{ client_id: 'house', redirect_uris: [`${shop.base}/login/provider/house/callback`] },
      ...{ grant_types: ['authorization_code'], ...options.house },
    });
    const policy = {
      ...{ client: 'desk', audience: shop.at(), client_id: 'agent', scopes: ['orders:read', 'orders:write'] },
      ...{ resources: [ORDERS.identifier], ...options.policy },
    };
    const desk = aClient({
      ...{ client_id: 'desk', grant_types: ['authorization_code', 'refresh_token', TOKEN_EXCHANGE], ...options.desk },
    });
    await home.provision({
      applications: [
        anApplication({
          ...{ identity_assertions: [policy], clients: [aClient(), house, desk], ...options.home },
        }),
      ],
    });
    await shop.provision({
      providers: [
        { id: 'house', type: 'gatehouse', issuer: home.at(), client_id: 'house', client_secret: 'web-secret-1' },
      ],
      applications: [
        anApplication({
          ...{ providers: ['house'], apis: [ORDERS], clients: [aClient(), agent()] },
          assertion_issuers: [{ issuer: home.at(), clients: ['agent'], scopes: ['orders:read'], ...options.trust }],
          ...options.shop,
        }),
      ],
    });
  });
  return { home, shop };
}

/** Signs the person in at the shop by way of the other server: with the first time the account is made and linked. */
export async function visitShop({ home, shop }: TwoServers, username = 'alice'): Promise<void> {
  const visitor = new Visitor(shop.base);
  const gone = await visitor.follow(authorizationUrl(shop, { idp_hint: 'house' }));
  const there = new Visitor(home.base);
  const login = await there.follow(gone.location ?? '');
  const back = await there.send(formWith(login, 'password'), { username, password: PASSWORD });
  const seen = await visitor.follow(back.location ?? '');
  assert(answerIn(seen).code, seen.text);
}

/** The token set of `desk`, to which the person signs in. */
export async function atDesk(home: TestServer, fields: Fields = {}, options: Parameters<typeof signIn>[2] = {}) {
  const code = await aCode(home, { client_id: 'desk', scope: 'openid email', ...fields }, options);
  return (await withStatus(200, redeem(home, code, {}, DESK))).json;
}

export const exchange = (
  { home, shop }: TwoServers,
  subject_token: string,
  over: Fields = {},
  sending: Parameters<typeof token>[2] = DESK,
) =>
  token(
    home,
    {
      ...{ grant_type: TOKEN_EXCHANGE, requested_token_type: ID_JAG, audience: shop.at() },
      ...{ subject_token, subject_token_type: ID_TOKEN, ...over },
    },
    sending,
  );
