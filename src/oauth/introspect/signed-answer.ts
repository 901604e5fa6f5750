import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { failure } from '../../failures.ts';
import { header, NOT_STORED, type Refusal, type Reply, type Request } from '../../platform/http/message.ts';
import type { Services } from '../../services.ts';
import { issuerFor } from '../discovery/issuer.ts';

const MEDIA_TYPE = 'application/token-introspection+jwt';

/** RFC 9701 section 4: the client asks for it, and has said in its registration how it is signed. */
export function wantsSigned(request: Request, client: Client | undefined): client is Client {
  if (client?.introspection_signed_response_alg === undefined) return false;
  // It gets none in clear.
  if (client.introspection_encrypted_response_alg !== undefined) return true;
  const accepted = header(request, 'accept')?.split(',') ?? [];
  return accepted.some(each => each.split(';', 1)[0]?.trim().toLowerCase() === MEDIA_TYPE);
}

/** RFC 9701 section 5. What is said of the token is inside of one claim, so that nobody takes the answer for the token itself. */
export async function signedAnswer(
  services: Services,
  application: Application,
  client: Client,
  token_introspection: object,
): Promise<Reply | Refusal> {
  const iss = issuerFor(services, application);
  const claims = { iss, aud: client.client_id, iat: services.clock.now(), token_introspection };
  const alg = client.introspection_signed_response_alg ?? application.id_token_signed_response_alg;
  const signed = await services.signer.sign(application.code, alg, 'token-introspection+jwt', claims);
  const body = client.introspection_encrypted_response_alg
    ? await (await services.encryption.to(client, 'introspection'))?.(signed)
    : signed;
  if (body === undefined) return { failure: failure('encryptionKeyMissing'), client: client.client_id };
  return { status: 200, headers: { ...NOT_STORED, 'content-type': MEDIA_TYPE, vary: 'accept' }, body };
}
