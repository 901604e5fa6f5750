import { afterEach } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { claimsOf } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { deliverLogoutNotices } from '../../build/deliver-notices.ts';
import { type ApplicationInput, aClient, anApplication, aUser } from '../../build/fixture.ts';
import { bob, signedIn, tokensOf } from '../../build/people.ts';
import { openReceiver, type Receiver } from '../../build/receiver.ts';
import { standIn } from '../../build/stand-in.ts';
import { suitePart } from '../../build/suite-part.ts';
import { emptyDatabase, startTestServer, type TestServer, type TestServerOptions } from '../../build/test-server.ts';
import { query, type Visitor } from '../../build/visitor.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

/** The last logout token that a client received, or another by its index. */
export const tokenIn = ({ received }: Receiver, index = -1) => received.at(index)?.form.get('logout_token') ?? '';

/** Around all tests of the file: a server whose clients receive logout tokens, on a database that outlives the server. */
export function useBackchannel() {
  const clock = fixedClock();
  const folder = suitePart(temporaryFolder);
  const database = suitePart(() => emptyDatabase(folder.file('.')));
  const [web, ecdsa, bank] = [suitePart(openReceiver), suitePart(openReceiver), suitePart(openReceiver)];
  let running: TestServer;
  const server = standIn(() => running);

  const aNode = (options: Pick<TestServerOptions, 'applications' | 'users'>) => {
    const env = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', DATABASE_URL: database.url };
    return startTestServer({ clock, env, ...options });
  };
  const given = (): ApplicationInput[] => [
    anApplication({
      clients: [
        aClient({ backchannel_logout_uri: web.address }),
        aClient({ client_id: 'ecdsa', backchannel_logout_uri: ecdsa.address, id_token_signed_response_alg: 'ES256' }),
        aClient({ client_id: 'quiet' }),
        aClient({ client_id: 'pairwise', subject_type: 'pairwise', backchannel_logout_uri: ecdsa.address }),
      ],
    }),
    anApplication({ code: 'bank', name: 'Bank', clients: [aClient({ backchannel_logout_uri: bank.address })] }),
  ];
  const deliver = (at: TestServer = server) => deliverLogoutNotices(at.services);

  suitePart(
    async () => {
      running = await aNode({ applications: given(), users: [aUser(), bob()] });
      return running;
    },
    () => running.close(),
  );
  afterEach(async () => {
    // Whatever a test left undelivered goes before the next.
    clock.advance(7200);
    await deliver();
    for (const receiver of [web, ecdsa, bank]) receiver.received.length = 0;
  });

  return {
    clock,
    given,
    deliver,
    anotherNode: () => aNode({ applications: [], users: [] }),
    /** Closes the server, and starts another on the same database in its place. */
    async restart() {
      await server.close();
      running = await aNode({ applications: [], users: [] });
      return running;
    },
    logOut: (visitor: Visitor, idToken: string) =>
      visitor.follow(`${server.at()}/logout?${query({ id_token_hint: idToken })}`),
    async someone(username = 'alice') {
      const visitor = await signedIn(server, username);
      const set = await tokensOf(server, visitor);
      return { visitor, set, claims: claimsOf(set.id_token) };
    },
    verified: (jwt: string, app: string, audience: string) =>
      jwtVerify(jwt, createRemoteJWKSet(new URL(`${server.at(app)}/jwks`)), {
        issuer: server.at(app),
        audience,
        typ: 'logout+jwt',
        currentDate: new Date(clock.now() * 1000),
      }),
    ...{ server, web, ecdsa, bank },
  };
}
