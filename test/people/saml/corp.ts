import assert from 'node:assert/strict';
import type { KeyObject } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { selfSigned } from '../../../src/people/saml/certificate.rules.ts';
import {
  type ApplicationInput,
  anApplication,
  aUser,
  type ProviderInput,
  type UserInput,
} from '../../build/fixture.ts';
import { suitePart } from '../../build/suite-part.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, type Seen, Visitor } from '../../build/visitor.ts';
import { buttonOf } from '../federation/federated.ts';
import {
  type AssertionParts,
  goodResponse,
  ISSUER,
  NOW,
  provider,
  type ResponseParts,
  type Signing,
} from './messages.ts';

/** A server at NOW with the SAML provider `corp`, whose answers the tests write themselves (messages.ts). */
export interface SamlOptions extends TestServerOptions {
  readonly provider?: Partial<Omit<ProviderInput, 'id' | 'type'>>;
  readonly application?: Partial<ApplicationInput>;
  readonly users?: readonly UserInput[];
}

export const SIGN_ON = 'https://idp.example.com/sso';

export interface Metadata {
  readonly entityId?: string;
  readonly keys?: readonly { readonly publicKey: KeyObject; readonly privateKey: KeyObject }[];
  readonly bindings?: readonly ('HTTP-Redirect' | 'HTTP-POST')[];
  readonly wantsSigned?: boolean;
  readonly validUntil?: string;
  readonly signOn?: string;
  readonly signOut?: string;
  readonly signOutBinding?: 'HTTP-Redirect' | 'HTTP-POST';
  /** Where answers go, where that is another address. */
  readonly signOutAnswers?: string;
}

export function metadataXml(over: Metadata = {}): string {
  const {
    entityId = ISSUER,
    keys = [provider],
    bindings = ['HTTP-Redirect'],
    wantsSigned = false,
    validUntil,
    signOn = SIGN_ON,
    signOut,
    signOutBinding = 'HTTP-Redirect',
    signOutAnswers,
  } = over;
  const certificates = keys.map(
    key =>
      `<md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${selfSigned(key, 'corp', NOW).toString('base64')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
  );
  const services = bindings.map(
    each => `<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:${each}" Location="${signOn}"/>`,
  );
  if (signOut !== undefined) {
    const binding = `urn:oasis:names:tc:SAML:2.0:bindings:${signOutBinding}`;
    const answers = signOutAnswers === undefined ? '' : ` ResponseLocation="${signOutAnswers}"`;
    services.unshift(`<md:SingleLogoutService Binding="${binding}" Location="${signOut}"${answers}/>`);
  }
  const end = validUntil === undefined ? '' : ` validUntil="${validUntil}"`;
  return `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${entityId}"${end}><md:IDPSSODescriptor WantAuthnRequestsSigned="${wantsSigned}" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${certificates.join('')}${services.join('')}</md:IDPSSODescriptor></md:EntityDescriptor>`;
}

export async function startSamlServer({
  provider: over,
  application,
  users = [aUser()],
  ...options
}: SamlOptions = {}) {
  const server = await startTestServer({ clock: { now: () => NOW }, ...options, applications: [], users });
  await server.provision({
    providers: [aSamlProvider(over)],
    applications: [anApplication({ providers: ['corp'], ...application })],
  });
  return server;
}

export function aSamlProvider(over: SamlOptions['provider'] = {}): ProviderInput {
  const published = over.metadata_url === undefined ? { metadata: metadataXml() } : {};
  return { name: 'Corp', ...published, ...over, id: 'corp', type: 'saml' };
}

/** For the suite that this is called in. */
export const samlServer = (options?: SamlOptions) => suitePart(() => startSamlServer(options));

/** The button of Corp, and the request with which the browser is sent there. */
export async function leaveFor(server: TestServer, fields: Fields = {}, app?: string) {
  const visitor = new Visitor(server.base);
  const page = await visitor.follow(authorizationUrl(server, { scope: 'openid profile email', ...fields }, app));
  const gone = await visitor.send(buttonOf(page, 'corp'));
  const { location = '' } = gone;
  assert(location.startsWith(`${SIGN_ON}?`), `${gone.status} ${location} ${gone.text.slice(0, 500)}`);
  return { visitor, request: requestIn(location), id: idIn(location), query: new URL(location).searchParams };
}

export function requestIn(address: string): string {
  const deflated = new URL(address).searchParams.get('SAMLRequest') ?? '';
  return inflateRawSync(Buffer.from(deflated, 'base64')).toString();
}

/** Of the request in an address of HTTP-Redirect. */
export function idIn(address: string): string {
  return / ID="([^"]*)"/.exec(requestIn(address))?.[1] ?? '';
}

export function callbackAt(server: Pick<TestServer, 'base'>, id = 'corp'): string {
  return `${server.base}/login/provider/${id}/callback`;
}

export function audienceOf(server: Pick<TestServer, 'base'>): string {
  return `${server.base}/login/provider/corp/metadata`;
}

let count = 0;

/** What Corp answers; each assertion has an id of its own. */
export function answerOf(
  server: Pick<TestServer, 'base'>,
  inResponseTo: string | null,
  parts: AssertionParts = {},
  envelope: ResponseParts = {},
  signing: Signing = {},
): string {
  const [recipient, audience] = [callbackAt(server), audienceOf(server)];
  return goodResponse(
    { id: `_assertion-${++count}`, inResponseTo, recipient, audience, ...parts },
    { inResponseTo, destination: recipient, ...envelope },
    signing,
  );
}

/** The page of the provider posts it: another site, so the browser sends no cookies. */
export async function post(
  server: Pick<TestServer, 'base'>,
  xml: string,
  { origin = new URL(SIGN_ON).origin, id, more = {} }: { origin?: string | null; id?: string; more?: Fields } = {},
): Promise<Seen> {
  const body = new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString('base64'), ...more } as Record<
    string,
    string
  >);
  return new Visitor(server.base).go(callbackAt(server, id), {
    method: 'POST',
    body: body.toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'cross-site',
      ...(origin === null ? {} : { origin }),
    },
  });
}

/** A browser sends no cookies with the post, and keeps those of the answer. */
export function keepCookies(visitor: Visitor, { headers }: Seen): void {
  for (const line of headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(line) ?? [];
    visitor.cookies.set(name, value);
  }
}

/** The post, and the browser that follows its redirect with its cookies. */
export async function bring(server: TestServer, visitor: Visitor, xml: string, options?: Parameters<typeof post>[2]) {
  const posted = await post(server, xml, options);
  keepCookies(visitor, posted);
  return posted.location === undefined ? posted : visitor.follow(posted.location);
}

/** From the application to its answer. */
export async function signInByCorp(server: TestServer, parts: AssertionParts = {}, fields: Fields = {}) {
  const { visitor, id } = await leaveFor(server, fields);
  return { visitor, seen: await bring(server, visitor, answerOf(server, id, parts)) };
}
