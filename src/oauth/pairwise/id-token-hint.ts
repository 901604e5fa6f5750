import type { Application } from '../../directory/applications/rules.ts';
import type { Services } from '../../services.ts';
import { issuerFor } from '../discovery/issuer.ts';
import { type IdTokenHint, verifyIdTokenHint } from '../signing-keys/verifier.ts';

/** The user and session that an ID token is about, also where its client sees others. Undefined: this application did not issue it. */
export async function readIdTokenHint(
  services: Services,
  application: Application,
  token: string,
): Promise<IdTokenHint | undefined> {
  const { code } = application;
  const hint = await verifyIdTokenHint(services, code, issuerFor(services, application), token);
  if (!hint) return undefined;
  return services.subjects.meantBy(code, await services.registry.client(code, hint.clientId), hint);
}
