import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { signingAlgOf } from '../../directory/clients/rules.ts';
import type { Services } from '../../services.ts';
import type { ResponseFields } from '../authorize/response-mode.rules.ts';
import { issuerFor } from '../discovery/issuer.ts';

/** JARM section 2.1 recommends at most ten minutes. */
const LIFETIME_SECONDS = 300;

/** The parameters of a response as one JWT for the client (JARM section 2.1). */
export async function signResponse(
  services: Services,
  application: Application,
  client: Pick<Client, 'authorization_signed_response_alg' | 'id_token_signed_response_alg' | 'client_id'>,
  fields: ResponseFields,
): Promise<ResponseFields> {
  const present = fields.filter(([, value]) => value !== undefined);
  const claims = {
    ...Object.fromEntries(present),
    iss: issuerFor(services, application),
    aud: client.client_id,
    exp: services.clock.now() + LIFETIME_SECONDS,
  };
  const alg = client.authorization_signed_response_alg ?? signingAlgOf(application, client);
  return [['response', await services.signer.sign(application.code, alg, 'JWT', claims)]];
}
