import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { signingAlgOf } from '../../directory/clients/rules.ts';
import type { Services } from '../../services.ts';
import type { ResponseFields } from '../authorize/response-mode.rules.ts';
import { issuerFor } from '../discovery/issuer.ts';

/** JARM section 2.1 recommends at most ten minutes. */
const LIFETIME_SECONDS = 300;

/** The parameters of a response as one JWT for the client (JARM section 2.1). Undefined: it is to be encrypted, and there is no key for it. */
export async function signResponse(
  services: Services,
  application: Application,
  client: Client,
  fields: ResponseFields,
): Promise<ResponseFields | undefined> {
  const present = fields.filter(([, value]) => value !== undefined);
  const claims = {
    ...Object.fromEntries(present),
    iss: issuerFor(services, application),
    aud: client.client_id,
    exp: services.clock.now() + LIFETIME_SECONDS,
  };
  const alg = client.authorization_signed_response_alg ?? signingAlgOf(application, client);
  const signed = await services.signer.sign(application.code, alg, 'JWT', claims);
  if (client.authorization_encrypted_response_alg === undefined) return [['response', signed]];
  const encrypt = await services.encryption.to(client, 'authorization');
  return encrypt && [['response', await encrypt(signed)]];
}
