import type { Application } from '../../directory/applications/rules.ts';
import { clientOrNone } from '../../directory/client-id-metadata/find-client.ts';
import { type Failure, failure, parameterFailure } from '../../failures.ts';
import { isAgent } from '../../people/agents/rules.ts';
import { isForm, json, type Request, withHeaders } from '../../platform/http/message.ts';
import { keptImport } from '../../platform/kept-import.ts';
import type { Endpoint, Services, Tables } from '../../services.ts';
import { knowsDetails, PARAMETER } from '../authorization-details/rules.ts';
import { authenticateClient } from '../client-authentication/authenticate.ts';
import { clientAuthParameters } from '../client-authentication/methods.ts';
import { claimedClient, claimedClientId } from '../client-authentication/public-client.ts';
import { noteSuccess, presentedProof, UNBOUND, verifyProof } from '../proof-of-possession/binding.ts';
import { type Caller, callerWithoutCredentials } from './caller.ts';
import { type GrantCall, type GrantHandler, type RefusedGrant, refused } from './grant.ts';
import { tokenSet } from './issue.ts';
import { undecodableResource } from './requested-access.rules.ts';

const loadStanding = keptImport(() => import('../../people/agents/standing.ts'));

/**
 * {issuer}/token, the token endpoint (RFC 6749 section 3.2). The phases that all grants share, in the order in which a fault is
 * reported: content type, repeated or undecodable parameters, client authentication, proof of possession, grant_type, whether the client
 * may use the grant, the grant's required parameters, the grant itself.
 */
export const token: Endpoint = async (services, request, application) => {
  if (!isForm(request)) return { failure: failure('contentTypeInvalid') };
  const params = request.form;
  const fault = params.fault(parametersOf(services.tables));
  if (fault) return { failure: parameterFailure(fault) };
  const undecodable = undecodableResource(params, application);
  if (undecodable) return { failure: undecodable };

  const grantType = params.get('grant_type') ?? '';
  const grant = services.tables.grants.get(grantType);
  const authentication = await authenticateClient(services, request, application, params);
  const caller =
    authentication.kind === 'anonymous'
      ? await callerWithoutCredentials({ services, request, application, params }, grant?.callers)
      : authentication;
  if (caller.kind === 'refused') return caller;

  const client = caller.kind === 'verifier' ? await certificateClient(services, request, application) : caller.client;
  const proof = presentedProof(services, request, client);
  const binding =
    proof === undefined
      ? UNBOUND
      : await verifyProof(services, request, proof, caller.kind === 'authenticated', client);
  if ('failure' in binding) return { ...binding, client: client?.client_id };

  // Asked before a code or a refresh token is spent.
  if (client?.id_token_encrypted_response_alg && !(await services.encryption.to(client, 'id_token'))) {
    return { failure: failure('encryptionKeyMissing'), client: client.client_id };
  }

  const call: GrantCall = { services, request, application, params, caller, binding };
  const allowed = allowedGrant(grant, grantType, call);
  const result = 'run' in allowed ? await runFor(allowed, call) : allowed;
  // A device that waits for its person has done nothing wrong either.
  if (result.kind === 'handedOut') return withHeaders(json(result.set), binding.headers);
  if (result.kind === 'issued' || result.isRoutine) noteSuccess(services, binding);
  if (result.kind === 'refused') {
    const { headers } = binding;
    return { ...result, client: await clientOf(call), ...(headers ? { headers } : {}) };
  }
  const set = await tokenSet(services, result.issue);
  services.statistics.tokensIssued(application.code, grantType);
  return withHeaders(json(set), binding.headers);
};

/** An agent gets something only while its owner lets it act. */
async function runFor(grant: GrantHandler, call: GrantCall): ReturnType<GrantHandler['run']> {
  const { services, application, caller } = call;
  if (caller.kind === 'verifier' || !isAgent(caller.client)) return grant.run(call);
  const { givenToAgent } = await loadStanding();
  const result = await givenToAgent(services, application, caller.client, () => grant.run(call));
  return typeof result === 'string' ? refused(result) : result;
}

/** Whether tokens are bound to a certificate is for the client to say. With a verifier alone its client_id has to be believed for that. */
async function certificateClient(services: Services, request: Request, application: Application) {
  return request.certificate && clientOrNone(await claimedClient(services, request, application, request.form));
}

/** Made once for each table of grants, of which a process has one. */
const parameters = new WeakMap<Tables, readonly string[]>();

function parametersOf(tables: Tables): readonly string[] {
  const known = parameters.get(tables);
  if (known) return known;
  const made = [...tables.grantParameters, ...clientAuthParameters];
  parameters.set(tables, made);
  return made;
}

function allowedGrant(
  grant: GrantHandler | undefined,
  grantType: string,
  call: GrantCall,
): GrantHandler | RefusedGrant {
  if (!grant) return { kind: 'refused', failure: withoutGrant(call) };
  if (!isAllowed(grantType, call.caller)) return { kind: 'refused', failure: failure('grantTypeNotAllowed') };
  // What this grant does not know would be left out without a word (RFC 9396 section 5).
  if (
    !grant.optional.includes(PARAMETER) &&
    call.params.get(PARAMETER) !== undefined &&
    knowsDetails(call.application)
  ) {
    return { kind: 'refused', failure: failure('authorizationDetailsInvalid', 'not with this grant') };
  }
  const missing = grant.required.find(name => call.params.get(name) === undefined);
  return missing === undefined ? grant : { kind: 'refused', failure: failure('parameterMissing', missing) };
}

function withoutGrant({ params }: GrantCall): Failure {
  const isMissing = params.get('grant_type') === undefined;
  return isMissing ? failure('parameterMissing', 'grant_type') : failure('grantTypeUnsupported');
}

/** With a verifier alone the client is not known yet. Only a client with the code grant can have got a code. */
function isAllowed(grantType: string, caller: Caller): boolean {
  return caller.kind === 'verifier' || caller.client.grant_types.includes(grantType);
}

/** For the log. With a verifier alone, the client_id of the request is not proved. */
function clientOf({ services, request, application, params, caller }: GrantCall): string | Promise<string | undefined> {
  if (caller.kind !== 'verifier') return caller.client.client_id;
  return claimedClientId(services, request, application, params);
}
