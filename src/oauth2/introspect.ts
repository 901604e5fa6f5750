import { header, isForm, json, type Request } from '../message.ts';
import { type Application, type Client, issuerOf } from '../protocol/client.ts';
import { type Failure, failure } from '../protocol/errors.ts';
import { type Params, parseParams } from '../protocol/params.ts';
import type { Endpoint, Services } from '../services.ts';
import type { LiveToken } from '../store/store.ts';
import { authenticateClient } from './client-auth.ts';
import { bearerToken, findLiveToken, type Located, locateToken } from './look-up.ts';

/** RFC 7662. */
export const introspect: Endpoint = async (services, request, application) => {
  if (request.body !== '' && !isForm(request)) return { failure: failure('contentTypeInvalid') };
  const body = parseParams(request.body);
  const query = parseParams(request.query);
  const repeated = repeatedParameter(body, query);
  if (repeated !== undefined) return { failure: failure('introspectionParameterRepeated', repeated) };

  const viewer = await identify(services, request, application, body);
  if ('failure' in viewer) return viewer;

  const token = body.get('token') ?? query.get('token');
  if (token === undefined) return { failure: failure('introspectionTokenMissing') };

  const located = await locateToken(services, application, token);
  // Its registration came from the cache: whether it is still there is asked along with the token.
  const askedBy = 'client' in viewer ? viewer.client.client_id : undefined;
  const live = await findLiveToken(services, application, located, askedBy);
  return json(live && located && maySee(viewer, live) ? activeAnswer(services, application, live, located) : INACTIVE);
};

/** Exactly this, whatever the reason: nothing is learned from it (RFC 7662 section 2.2). */
const INACTIVE = { active: false };
const OWN = ['token', 'token_type_hint'];

/** Each may come in the body or in the query, but only once in all. Credentials come in the body or header alone. */
function repeatedParameter(body: Params, query: Params): string | undefined {
  const fault = body.fault([...OWN, 'client_id', 'client_secret']) ?? query.fault(OWN);
  return fault?.name ?? OWN.find(name => body.get(name) !== undefined && query.get(name) !== undefined);
}

/** A client sees every token of its application; the bearer of an access token only those of its own client. */
type Viewer = { readonly client: Client } | { readonly onlyOf: string };

async function identify(
  services: Services,
  request: Request,
  application: Application,
  params: Params,
): Promise<Viewer | { readonly failure: Failure }> {
  const bearer = bearerToken(header(request, 'authorization'));
  if (bearer === undefined) {
    const authentication = await authenticateClient(services, request, application, params);
    if (authentication.kind === 'anonymous') return { failure: failure('clientNotAuthenticated') };
    return authentication;
  }
  if (params.get('client_secret') !== undefined) return { failure: failure('severalClientAuthentications') };
  const located = await locateToken(services, application, bearer);
  const live = located?.kind === 'access' ? await findLiveToken(services, application, located) : undefined;
  return live ? { onlyOf: live.clientId } : { failure: failure('clientNotAuthenticated') };
}

function maySee(viewer: Viewer, token: LiveToken): boolean {
  return !('onlyOf' in viewer) || viewer.onlyOf === token.clientId;
}

function activeAnswer({ config }: Services, application: Application, token: LiveToken, { kind }: Located) {
  const issuer = issuerOf(config.baseUrl, application.code);
  return {
    active: true,
    client_id: token.clientId,
    iat: token.issuedAt,
    exp: token.expiresAt,
    scope: token.scope.join(' '),
    sub: token.sub,
    token_type: 'Bearer',
    // So that no resource server takes a refresh token for an access token.
    token_use: `${kind}_token`,
    iss: issuer,
    aud: issuer,
  };
}
