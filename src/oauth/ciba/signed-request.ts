import type { RefusalFacts } from '../../audit/refusals/facts.rules.ts';
import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { type Failure, failure, parameterFailure } from '../../failures.ts';
import { readSignedJwt } from '../../platform/crypto/signed-jwt.rules.ts';
import { type Params, paramsOf } from '../../platform/http/params.rules.ts';
import { isFirstUse } from '../../platform/single-use/first-use.ts';
import type { Services } from '../../services.ts';
import { verifyWithKeys } from '../client-authentication/jwt-verifier.ts';
import { issuerFor } from '../discovery/issuer.ts';
import { parametersIn, type RequestObjectFault } from '../jar/request-object.rules.ts';
import { backchannelParameters } from './request.rules.ts';
import { signedRequestFault, useOfRequest } from './request-object.rules.ts';

interface Refused {
  readonly failure: Failure;
  readonly facts?: RefusalFacts;
}

/** Where the parameters of the request are: in the form, or in the JWT that the client has signed (section 7.1.1). */
export async function signedParams(
  services: Services,
  application: Application,
  client: Client,
  params: Params,
): Promise<Params | Refused> {
  const object = params.get('request');
  if (client.backchannel_authentication_request_signing_alg === undefined) {
    return object === undefined ? params : { failure: failure('parameterInvalid', 'request') };
  }
  // Nothing counts that is not signed, and nothing beside it may look as if it did.
  const isBeside = ['resource', ...backchannelParameters].some(name => params.get(name) !== undefined);
  if (object === undefined || isBeside) return { failure: failure('backchannelRequestUnsigned') };
  const opened = await openRequest(services, application, client, object);
  if (typeof opened === 'string') {
    return { failure: failure('backchannelRequestInvalid'), facts: { requestObject: opened } };
  }
  const fault = opened.fault(backchannelParameters);
  return fault ? { failure: parameterFailure(fault) } : opened;
}

const TYPES = [undefined, 'jwt', 'oauth-authz-req+jwt'];

async function openRequest(
  services: Services,
  application: Application,
  client: Client,
  object: string,
): Promise<Params | RequestObjectFault> {
  const jwt = readSignedJwt(object, TYPES);
  if (!jwt) return 'malformed';
  const fault = signedRequestFault(jwt, client, issuerFor(services, application), services.clock.now());
  if (fault) return fault;
  const verdict = await verifyWithKeys(services.keySets.of(client), client, jwt);
  if (verdict !== 'verified') return verdict;
  const parts = [application.code, client.client_id, String(jwt.claims.jti)];
  const isFirst = await isFirstUse(services, 'backchannel request', parts, useOfRequest(jwt));
  return isFirst ? paramsOf(parametersIn(jwt)) : 'replayed';
}
