import type { RefusalFacts } from '../../audit/refusals/facts.rules.ts';
import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { type Failure, failure } from '../../failures.ts';
import type { Services } from '../../services.ts';
import { readIdTokenHint } from '../pairwise/id-token-hint.ts';
import type { AuthRequest } from './request.rules.ts';

/** The user whom the client names: by an ID token that it received before, or by the parameter claims. */
export async function requiredUser(
  services: Services,
  application: Application,
  client: Client,
  { idTokenHint, claims }: AuthRequest,
): Promise<{ readonly sub: string | undefined } | { readonly failure: Failure; readonly facts?: RefusalFacts }> {
  const claimed = claims.sub === undefined ? undefined : await userMeant(services, application, client, claims.sub);
  if (idTokenHint === undefined) return { sub: claimed };
  const hint = await readIdTokenHint(services, application, idTokenHint);
  if (!hint) return { failure: failure('parameterInvalid', 'id_token_hint') };
  if (claimed !== undefined && claimed !== hint.sub) {
    return { failure: failure('twoUsersNamed'), facts: { hintNamesOther: true } };
  }
  return { sub: hint.sub };
}

const NOBODY = '';

/** A subject that is none of this client's names nobody, also where it is one of another client. */
async function userMeant({ subjects }: Services, { code }: Application, client: Client, sub: string): Promise<string> {
  return (await subjects.meantBy(code, client, { sub }))?.sub ?? NOBODY;
}
