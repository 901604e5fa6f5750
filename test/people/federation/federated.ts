import assert from 'node:assert/strict';
import type { Clock } from '../../../src/platform/deps.ts';
import {
  type ApplicationInput,
  anApplication,
  aUser,
  type ProviderInput,
  type UserInput,
} from '../../build/fixture.ts';
import { type OidcUpstream, openOidcUpstream, UPSTREAM_CLIENT } from '../../build/oidc-upstream.ts';
import { firstInSuite, suitePart } from '../../build/suite-part.ts';
import { type ServerAddress, suiteServer, type TestServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, formWith, type Seen, Visitor } from '../../build/visitor.ts';

/** A server with the provider `corp`, which a real OpenID provider is. */
export interface Federated {
  readonly server: TestServer;
  readonly corp: OidcUpstream;
}

/** Every field may be left out. */
type ProviderFields = Partial<Omit<ProviderInput, 'id' | 'type'>>;

export interface FederatedOptions {
  readonly provider?: ProviderFields;
  readonly application?: Partial<ApplicationInput>;
  readonly users?: readonly UserInput[];
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
}

/** For the suite that this is called in. */
export function federated({ provider, application, users = [aUser()], env, clock }: FederatedOptions = {}): Federated {
  const server = suiteServer({
    env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', ...env },
    applications: [],
    users,
    ...(clock && { clock }),
  });
  const corp = suitePart(() =>
    openOidcUpstream(['corp', 'other'].map(id => `${server.base}/login/provider/${id}/callback`)),
  );
  firstInSuite(() =>
    server.provision({
      providers: [aProvider(corp.issuer, provider)],
      applications: [anApplication({ providers: ['corp'], ...application })],
    }),
  );
  return { server, corp };
}

export function aProvider(issuer: string, over: ProviderFields = {}): ProviderInput {
  return { name: 'Corp', issuer, ...UPSTREAM_CLIENT, ...over, id: 'corp', type: 'oidc' };
}

/** Goes to the provider and comes back: through redirects alone, up to a page of the server or the answer to the client. */
export async function throughProvider(server: ServerAddress, visitor: Visitor, seen: Seen): Promise<Seen> {
  const callback = await toAnswer(server, seen);
  return visitor.follow(callback);
}

/** The address to which the provider sends the browser. */
export async function toAnswer(server: ServerAddress, seen: Seen): Promise<string> {
  assert(seen.location, `no redirect to a provider: ${seen.status} ${seen.text.slice(0, 500)}`);
  const upstream = new Visitor(new URL(seen.location).origin);
  const answered = await upstream.follow(seen.location);
  const { location = '' } = answered;
  assert(location.startsWith(`${server.base}/`), `${answered.status} ${answered.text.slice(0, 500)}`);
  return location;
}

/** The button of a provider on the sign-in page. */
export function buttonOf(page: Seen, id: string): { action: string; fields: URLSearchParams } {
  const { fields } = formWith(page, 'pending');
  assert.match(page.text, new RegExp(`action="/login/provider/${id}"`), page.text);
  return { action: new URL(`/login/provider/${id}`, page.url).href, fields };
}

export interface Walk {
  readonly visitor?: Visitor;
  readonly fields?: Fields;
  readonly app?: string;
}

/** An authorization request, the button, the provider, and back. */
export async function signInAtCorp(
  server: ServerAddress,
  { visitor = new Visitor(server.base), fields, app }: Walk = {},
) {
  const page = await visitor.follow(authorizationUrl(server, { scope: 'openid profile email', ...fields }, app));
  const gone = await visitor.send(buttonOf(page, 'corp'));
  return { visitor, seen: await throughProvider(server, visitor, gone) };
}
