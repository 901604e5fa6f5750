import type { SigningPair } from '../../build/assertion.ts';
import { basic, token } from '../../build/client.ts';
import type { FixedClock } from '../../build/clock.ts';
import { type DocumentServer, openDocumentServer } from '../../build/document-server.ts';
import { type ApplicationInput, aClient, anApplication, type ClientInput } from '../../build/fixture.ts';
import { anIdentityAssertion, JWT_BEARER } from '../../build/identity-assertion.ts';
import { keySetOf } from '../../build/key-server.ts';
import { elsewhere } from '../../build/limits.ts';
import type { TestServer } from '../../build/test-server.ts';
import type { Fields } from '../../build/visitor.ts';

/** Another issuer with its metadata and keys; what an application here is that takes its assertions; and requests with these. */
export async function openOtherIssuer(key: SigningPair): Promise<DocumentServer> {
  const issuer = await openDocumentServer();
  const headers = { 'content-type': 'application/json' };
  const metadata = { issuer: issuer.at(''), jwks_uri: issuer.at('/keys') };
  issuer.answer('/.well-known/openid-configuration', { headers, body: JSON.stringify(metadata) });
  issuer.answer('/keys', keySetOf(key.publicJwk));
  return issuer;
}

export const ORDERS = {
  identifier: 'https://api.shop.example',
  name: 'Orders',
  scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' },
};

export const agent = (over: ClientInput = {}): ClientInput =>
  aClient({ client_id: 'agent', grant_types: [JWT_BEARER], scope: 'openid email orders:read orders:write', ...over });

export const trusting = (issuer: string, over: Partial<ApplicationInput> = {}, policy: object = {}): ApplicationInput =>
  anApplication({
    apis: [ORDERS],
    clients: [aClient(), agent()],
    assertion_issuers: [
      { issuer, clients: ['agent'], scopes: ['openid', 'email', 'orders:read'], subject: 'link', ...policy },
    ],
    ...over,
  });

export const providerAt = (issuer: string, id = 'corp') =>
  ({ id, type: 'oidc', issuer, client_id: 'gatehouse', client_secret: 'secret at the other issuer' }) as const;

export interface Bringing {
  readonly clock: FixedClock;
  readonly signer: SigningPair;
  readonly issuer: string;
  readonly server: TestServer;
}

export interface Parts {
  readonly signer?: SigningPair;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** As the other issuer makes it for the agent at this server. */
export function assertionOf({ clock, signer: own, issuer, server }: Bringing, parts: Parts = {}): string {
  const { signer = own, header, claims } = parts;
  const names = { iss: issuer, sub: 'corp-alice', aud: server.at(), client_id: 'agent' };
  return anIdentityAssertion(signer, { now: clock.now(), header, claims: { ...names, ...claims } });
}

export const AGENT = basic('agent', 'web-secret-1');

export function bring(
  server: TestServer,
  assertion: string,
  over: Fields = {},
  { auth = AGENT, app, headers = {} }: { auth?: string; app?: string; headers?: Record<string, string> } = {},
) {
  const body = { grant_type: JWT_BEARER, assertion, ...over };
  return token(server, body, { auth, headers: { ...elsewhere(), ...headers } }, app);
}
