import { isForm, json, type Refusal } from '../message.ts';
import type { GrantType } from '../protocol/client.ts';
import { type Failure, failure, parameterFailure } from '../protocol/errors.ts';
import { type Params, parseParams } from '../protocol/params.ts';
import type { Endpoint } from '../services.ts';
import { authenticateClient } from './client-auth/authenticate.ts';
import { claimedClient, claimedClientId, isPublicClient } from './client-auth/none.ts';
import { authorizationCode } from './grants/authorization-code.ts';
import type { Caller, GrantCall, GrantHandler, GrantResult } from './grants/grant.ts';
import { password } from './grants/password.ts';
import { refreshToken } from './grants/refresh-token.ts';

/**
 * RFC 6749 section 3.2. The steps that all grants share, in the order in which a fault is reported: content type,
 * duplicated parameters, client authentication, grant_type, the grant's parameters, the grant itself.
 */
export const token: Endpoint = async (services, request, application) => {
  if (!isForm(request)) return { failure: failure('contentTypeInvalid') };
  const params = parseParams(request.body);
  const fault = params.fault(KNOWN);
  if (fault) return { failure: parameterFailure(fault) };

  const identified = await identify({ services, request, application, params });
  if (identified.kind === 'refused') return identified;

  const call = { services, request, application, params, caller: identified.caller };
  const result = await runGrant(call);
  return result.kind === 'issued' ? json(result.tokenSet) : { ...result, client: await clientOf(call) };
};

async function runGrant(call: GrantCall): Promise<GrantResult> {
  const { params, caller } = call;
  const chosen = chooseGrant(params, caller);
  if ('failure' in chosen) return { kind: 'refused', failure: chosen.failure };
  const missing = chosen.grant.required.find(name => params.get(name) === undefined);
  if (missing !== undefined) return { kind: 'refused', failure: failure('parameterMissing', missing) };
  return chosen.grant.run(call);
}

/** For the log. By a verifier alone a client is only claimed, and named where it exists. */
function clientOf(call: GrantCall): string | undefined | Promise<string | undefined> {
  const { services, request, application, params, caller } = call;
  if (caller.kind !== 'verifier') return caller.client.client_id;
  return claimedClientId(services, request, application, params);
}

const KNOWN = [
  'grant_type',
  'code',
  'redirect_uri',
  'code_verifier',
  'refresh_token',
  'username',
  'password',
  'scope',
  'client_id',
  'client_secret',
];

const grants: ReadonlyMap<string, GrantHandler> = new Map<GrantType, GrantHandler>([
  ['authorization_code', authorizationCode],
  ['refresh_token', refreshToken],
  ['password', password],
]);

type Identified = { readonly kind: 'known'; readonly caller: Caller } | ({ readonly kind: 'refused' } & Refusal);

/** Two callers may come without credentials: a code with its verifier, and the refresh of a public client. */
async function identify(call: Omit<GrantCall, 'caller'>): Promise<Identified> {
  const { services, request, application, params } = call;
  const authentication = await authenticateClient(services, request, application, params);
  if (authentication.kind === 'refused') return authentication;
  if (authentication.kind === 'authenticated') return { kind: 'known', caller: authentication };

  const grantType = params.get('grant_type');
  const claimed = params.get('client_id');
  if (grantType === 'authorization_code' && params.get('code_verifier') !== undefined) {
    return { kind: 'known', caller: { kind: 'verifier', claimedClientId: claimed } };
  }
  if (grantType === 'refresh_token' && claimed !== undefined) {
    const client = await claimedClient(services, request, application, params);
    if (!client) return { kind: 'refused', failure: failure('clientAuthenticationFailed') };
    if (isPublicClient(client)) return { kind: 'known', caller: { kind: 'public', client } };
  }
  const client = await claimedClientId(services, request, application, params);
  return { kind: 'refused', failure: failure('clientNotAuthenticated'), client };
}

function chooseGrant(params: Params, caller: Caller): { readonly grant: GrantHandler } | { readonly failure: Failure } {
  const name = params.get('grant_type');
  if (name === undefined) return { failure: failure('parameterMissing', 'grant_type') };
  const grant = grants.get(name);
  if (!grant) return { failure: failure('grantTypeUnsupported') };
  // By a verifier alone the client is not known yet; it could not have got a code without being allowed to.
  const allowed = caller.kind === 'verifier' || (caller.client.grant_types as readonly string[]).includes(name);
  return allowed ? { grant } : { failure: failure('grantTypeNotAllowed') };
}
