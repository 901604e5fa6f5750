import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { failure, parameterFailure } from '../../failures.ts';
import { isAgent } from '../../people/agents/rules.ts';
import { isForm, json } from '../../platform/http/message.ts';
import type { Endpoint, Services } from '../../services.ts';
import { identifyClient } from '../client-authentication/identify.ts';
import { clientAuthParameters } from '../client-authentication/methods.ts';
import { isPublicClient } from '../client-authentication/public-client.ts';
import { refuseWithoutCode } from './approval-code.ts';
import { openApproval } from './open-approval.ts';
import { findPerson } from './person.ts';
import { backchannelParameters, readBackchannelParams } from './request.rules.ts';
import { CIBA_GRANT } from './rules.ts';
import { signedParams } from './signed-request.ts';

const PARAMETERS = ['request', ...backchannelParameters, ...clientAuthParameters];

/**
 * {issuer}/bc-authorize (section 7): a client names a person, who decides at /account/approvals (approvals.page.ts), on whatever device.
 * grant.ts answers the polls of the client.
 */
export const backchannelAuthorization: Endpoint = async (services, request, application) => {
  if (!isForm(request)) return { failure: failure('contentTypeInvalid') };
  const params = request.form;
  const fault = params.fault(PARAMETERS);
  if (fault) return { failure: parameterFailure(fault) };
  const client = await identifyClient(services, request, application, params);
  if ('failure' in client) return client;
  const { client_id } = client;
  if (!mayAsk(client)) return { failure: failure('grantTypeNotAllowed'), client: client_id };

  const whyNot = await whyAgentMayNot(services, application, client);
  if (whyNot) return { failure: failure(whyNot), client: client_id };
  const signed = await signedParams(services, application, client, params);
  if ('failure' in signed) return { ...signed, client: client_id };
  const wanted = readBackchannelParams(signed, client, application);
  if ('error' in wanted) return { failure: wanted, client: client_id };
  const person = await findPerson(services, application, client, wanted.hint);
  if ('failure' in person) return { ...person, client: client_id };
  const uncoded = await refuseWithoutCode(services, person.user, wanted.userCode);
  if (uncoded) return { ...uncoded, client: client_id };
  const opened = await openApproval(services, request, { ...wanted, application, client, user: person.user });
  if (opened.kind === 'nobody') return { failure: failure('unknownUserId'), client: client_id };
  if (opened.kind === 'tooMany') {
    return { failure: failure('tooManyApprovalRequests'), retryAfter: opened.wait, client: client_id };
  }
  return json({ auth_req_id: opened.authReqId, expires_in: wanted.expirySeconds, interval: opened.interval });
};

/** Its tokens are those of a client that proves who it is: anybody could ask people in the name of another one (section 4). */
function mayAsk(client: Client): boolean {
  return client.grant_types.includes(CIBA_GRANT) && !isPublicClient(client);
}

/** An agent asks while its owner lets it act. Stopping it ends what it has asked before. */
async function whyAgentMayNot(services: Services, application: Application, client: Client) {
  if (!isAgent(client)) return undefined;
  const { whyNot } = await import('../../people/agents/standing.ts');
  return whyNot(services, application, client);
}
