import { findApi } from '../../directory/apis/rules.ts';
import type { Application } from '../../directory/applications/rules.ts';
import { clientOrNone } from '../../directory/client-id-metadata/find-client.ts';
import { type Client, isSelfRegistered } from '../../directory/clients/rules.ts';
import { failure } from '../../failures.ts';
import { actorOf, isAgent } from '../../people/agents/rules.ts';
import { acrOf } from '../../people/sign-in/acr.rules.ts';
import { isForm, json, type Refusal, type Request } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { keptImport } from '../../platform/kept-import.ts';
import type { Endpoint, Services } from '../../services.ts';
import type { AuthorizationDetail } from '../authorization-details/schema.rules.ts';
import { authenticateClient, methodUsed } from '../client-authentication/authenticate.ts';
import { clientAuthParameters } from '../client-authentication/methods.ts';
import { claimedClient, withoutCredentials } from '../client-authentication/public-client.ts';
import { issuerFor } from '../discovery/issuer.ts';
import { isPairwise } from '../pairwise/rules.ts';
import {
  checkPossession,
  needsProof,
  PROVED,
  type PresentedToken,
  tokenInHeader,
} from '../proof-of-possession/presented-token.ts';
import { proofOf } from '../proof-of-possession/proofs.ts';
import { findLiveToken, type Located, locateJwt, locateOpaque } from '../token/lookup.ts';
import type { LiveToken } from '../token/store.ts';
import { isSubjectClient } from '../token/subject.rules.ts';
import type { Actor } from '../token-exchange/rules.ts';
import { signedAnswer, wantsSigned } from './signed-answer.ts';

const loadDetails = keptImport(() => import('../authorization-details/token-details.ts'));

/** RFC 7662. */
export const introspect: Endpoint = async (services, request, application) => {
  if (request.body !== '' && !isForm(request)) return { failure: failure('contentTypeInvalid') };
  const body = request.form;
  const query = request.queryParams;
  const repeated = repeatedParameter(body, query);
  if (repeated !== undefined) return { failure: failure('introspectionParameterRepeated', repeated) };

  const presented = tokenInHeader(services, request);
  const viewer = presented
    ? await identifyByToken(services, request, application, body, presented)
    : await authenticateClient(services, request, application, body);
  if (viewer.kind === 'refused') return viewer;
  if (viewer.kind === 'anonymous') {
    return withoutCredentials(clientOrNone(await claimedClient(services, request, application, body)));
  }

  const token = body.get('token') ?? query.get('token');
  if (token === undefined) return { failure: failure('introspectionTokenMissing'), client: clientOf(viewer) };

  const located = locateOpaque(token) ?? (await locateJwt(services, application, token));
  // The client may have been authenticated from the cache, so the store also checks that it still exists.
  const callerClientId = viewer.kind === 'authenticated' ? viewer.client.client_id : undefined;
  const live = await findLiveToken(services, application, located, callerClientId);
  const isSeen = live && located && maySee(services, viewer, live, located);
  const answer = isSeen
    ? activeAnswer(services, application, live, located, {
        ...(await subjectShown(services, application, live)),
        details: await detailsOf(services, application, live, located),
      })
    : INACTIVE;
  const client = viewer.kind === 'authenticated' ? viewer.client : undefined;
  return wantsSigned(request, client) ? signedAnswer(services, application, client, answer) : json(answer);
};

/** RFC 9396 section 9.2. Only a token for an API that has types of them can have any. */
async function detailsOf(
  services: Services,
  application: Application,
  { audience }: LiveToken,
  { hash }: Located,
): Promise<readonly AuthorizationDetail[] | undefined> {
  if (audience === undefined || !findApi(application, audience)?.authorization_details_types) return undefined;
  const { findDetails } = await loadDetails();
  return findDetails(services, application.code, hash);
}

/** As the client of the token sees it, whoever asks: in a JWT the API would read the same. */
function subjectShown(
  { registry, subjects }: Services,
  { code }: Application,
  live: LiveToken,
): ShownSubject | Promise<ShownSubject> {
  const { clientId, sub, login, exchange } = live;
  const isOfClient = login === undefined || isSubjectClient(live);
  const shown = { sub, isOfClient, act: exchange?.act };
  const client = registry.cachedClient(code, clientId);
  if (client && !isPairwise(client)) return isAgent(client) ? { sub, act: actorOf(client, shown.act) } : shown;
  const showTo = (found: Client | undefined) =>
    subjects.shownTo(code, found, { ...shown, act: actorOf(found, shown.act) });
  return client ? showTo(client) : registry.client(code, clientId).then(showTo);
}

interface ShownSubject {
  readonly sub: string;
  readonly act: Actor | undefined;
}

/** The same response for every reason: the caller must not learn the reason (RFC 7662 section 2.2). */
const INACTIVE = { active: false };
const OWN = ['token', 'token_type_hint'];
const IN_BODY = [...OWN, ...clientAuthParameters];

/** Each parameter may be in the body or in the query, but only once. Credentials are read from body and header only. */
function repeatedParameter(body: Params, query: Params): string | undefined {
  const fault = body.fault(IN_BODY) ?? query.fault(OWN);
  return fault?.name ?? OWN.find(name => body.get(name) !== undefined && query.get(name) !== undefined);
}

type Viewer =
  | { readonly kind: 'authenticated'; readonly client: Client }
  /** The holder of an access token of this client. */
  | { readonly kind: 'holder'; readonly onlyOf: string; readonly audience: string | undefined };

type Holder = Extract<Viewer, { readonly kind: 'holder' }> | ({ readonly kind: 'refused' } & Refusal);

function clientOf(viewer: Viewer): string {
  return viewer.kind === 'holder' ? viewer.onlyOf : viewer.client.client_id;
}

async function identifyByToken(
  services: Services,
  request: Request,
  application: Application,
  params: Params,
  presented: PresentedToken,
): Promise<Holder> {
  if (methodUsed(request, params) === 'several') {
    return { kind: 'refused', failure: failure('severalClientAuthentications') };
  }
  const located = locateOpaque(presented.token) ?? (await locateJwt(services, application, presented.token));
  const live = located?.kind === 'access' ? await findLiveToken(services, application, located) : undefined;
  if (!live) return { kind: 'refused', failure: failure('clientNotAuthenticated') };
  const confirmation = located?.confirmation;
  const checked = needsProof(presented, confirmation)
    ? await checkPossession(services, request, presented, confirmation)
    : PROVED;
  if (checked.kind === 'proved') return { kind: 'holder', onlyOf: live.clientId, audience: live.audience };
  // Only the demand for a nonce is told: a client that reads it sends the request again.
  return checked.failure.error === 'use_dpop_nonce'
    ? checked
    : { kind: 'refused', failure: failure('clientNotAuthenticated') };
}

/**
 * A client sees every access token of its application, since its resource servers are clients too; the holder of a token only
 * those of its own client, and so does a self-registered client, which is nobody's resource server. A refresh token is shown only to
 * the client that holds it, by its own credentials: a resource server that receives one must not take it for an access token.
 */
function maySee(
  { tables }: Services,
  viewer: Viewer,
  { clientId, audience }: LiveToken,
  { kind, confirmation }: Located,
): boolean {
  // A token whose proof this server does not know is of no use to its client.
  if (!proofOf(tables, confirmation)) return false;
  if (viewer.kind === 'holder') {
    // An API that received a token learns nothing of those for others.
    const isForOther = viewer.audience !== undefined && viewer.audience !== audience;
    return kind === 'access' && viewer.onlyOf === clientId && !isForOther;
  }
  if (viewer.client.client_id === clientId) return true;
  // The token for an API is shown to the clients that are registered for it (docs/apis.md#who-sees-such-a-token).
  const { client } = viewer;
  const isTold = audience === undefined ? !isSelfRegistered(client) : client.apis?.includes(audience) === true;
  return kind === 'access' && isTold;
}

function activeAnswer(
  services: Services,
  application: Application,
  token: LiveToken,
  located: Located,
  { sub, act, details }: ShownSubject & { readonly details: readonly AuthorizationDetail[] | undefined },
): object {
  const { clientId, issuedAt, expiresAt, scope, login, audience } = token;
  const { kind, confirmation } = located;
  const issuer = issuerFor(services, application);
  // RFC 9470 section 6.2.
  const known = isSubjectClient(token) ? undefined : login;
  // All in one literal: V8 takes a third longer to make and write an object of spread parts. JSON leaves out what is undefined.
  return {
    active: true,
    iat: issuedAt,
    exp: expiresAt,
    client_id: clientId,
    sub,
    iss: issuer,
    aud: audience ?? issuer,
    // A refresh token is no bearer credential: it has no token_type (RFC 7662 section 2.2, RFC 6749 section 7.1).
    token_type: kind === 'access' ? proofOf(services.tables, confirmation)?.tokenType : undefined,
    cnf: confirmation,
    act,
    token_use: `${kind}_token`,
    scope: scope === '' ? undefined : scope,
    authorization_details: details,
    auth_time: known?.authTime,
    amr: known?.amr,
    acr: known && acrOf(known.amr),
  };
}
