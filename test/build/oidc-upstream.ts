import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Provider from 'oidc-provider';
import { freePort } from '../../scripts/free-port.ts';

/**
 * A real OpenID provider of another project (oidc-provider) as the upstream of a sign-in. Whoever comes is the person that the test has
 * chosen, without a page, so that a visitor gets there and back by redirects alone.
 */
export interface OidcUpstream {
  readonly issuer: string;
  /** Who signs in from now on, with the claims of this person; undefined: the person turns back. */
  person: UpstreamPerson | undefined;
  /** The parameters of the last authorization request. */
  readonly asked: () => URLSearchParams;
  /** How many requests have arrived at this path. */
  count(path: string): number;
  close(): Promise<void>;
}

export interface UpstreamPerson {
  readonly sub: string;
  readonly [claim: string]: unknown;
}

export const UPSTREAM_CLIENT = { client_id: 'gatehouse', client_secret: 'the secret of gatehouse at corp' };

const OWN_CLAIMS = [
  'name',
  'given_name',
  'family_name',
  'nickname',
  'picture',
  'preferred_username',
  'groups',
  'locale',
  'department',
  'size',
  'hd',
];

export async function openOidcUpstream(
  redirectUris: readonly string[],
  person?: UpstreamPerson,
): Promise<OidcUpstream> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  let asked = new URLSearchParams();
  const counts = new Map<string, number>();
  const upstream: OidcUpstream = {
    issuer,
    person,
    asked: () => asked,
    count: path => counts.get(path) ?? 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise(closed => server.close(closed));
    },
  };
  const provider = new Provider(issuer, {
    clients: [
      {
        ...UPSTREAM_CLIENT,
        redirect_uris: redirectUris,
        post_logout_redirect_uris: redirectUris.map(uri => uri.replace(/callback$/, 'signed-out')),
      },
    ],
    claims: { openid: ['sub'], profile: OWN_CLAIMS, email: ['email', 'email_verified'] },
    cookies: { keys: ['for tests'] },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    conformIdTokenClaims: false,
    acrValues: ['urn:corp:mfa'],
    features: { devInteractions: { enabled: false }, claimsParameter: { enabled: true } },
    findAccount: async (_: unknown, sub: string) => ({
      accountId: sub,
      claims: async () => ({ ...upstream.person, sub }),
    }),
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    // Nobody is asked for consent.
    loadExistingGrant: async (context: GrantContext) => {
      const { client, session, provider: own } = context.oidc;
      const grant = new own.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  });
  const handle = provider.callback();
  const interact = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { person: who } = upstream;
    const result = who
      ? { login: { accountId: who.sub, acr: who.acr, amr: who.amr } }
      : { error: 'access_denied', error_description: 'The person turned back.' };
    await provider.interactionFinished(incoming, outgoing, result);
  };
  const server = createServer((incoming, outgoing) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', issuer);
    counts.set(pathname, (counts.get(pathname) ?? 0) + 1);
    if (pathname === '/auth') asked = searchParams;
    if (pathname.startsWith('/interaction/')) void interact(incoming, outgoing);
    else handle(incoming, outgoing);
  });
  await new Promise<void>(listening => server.listen(port, '127.0.0.1', listening));
  return upstream;
}

interface GrantContext {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly provider: Provider;
  };
}
