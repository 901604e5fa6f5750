import type { Answer } from '../../platform/http/message.ts';
import { linkPerson } from '../linking/link-person.ts';
import { resume } from '../sign-in/progress.ts';
import { expired, sessionOf, type Visit } from '../sign-in/visit.ts';
import { personOf } from './account.ts';
import type { ConnectedProvider, Identity } from './connector.ts';
import { backWithFault, type SignInFault } from './fault.ts';
import { saidFields } from './person.rules.ts';
import { linkFor } from './resolve.ts';

/** The person went to the provider from the account page: the account that is signed in gets the link. Nobody signs in by it. */
export async function addLink(visit: Visit, provider: ConnectedProvider, identity: Identity): Promise<Answer> {
  const { services, signIn } = visit;
  const session = await sessionOf(visit);
  // Another person has signed in to this browser meanwhile, or nobody is signed in any more.
  if (!session || session.user.sub !== signIn.progress.ownPage?.addsLinkTo) return expired({ kind: 'changed' });
  const person = personOf(provider, saidFields(provider, identity.claims));
  const link = linkFor(visit, provider.id, identity, person, session.user.sub);
  const outcome = await linkPerson(visit, session.user, link);
  if (outcome === 'linked' || outcome === 'present') return resume(services.config.baseUrl, signIn);
  const kind = FAULTS[outcome];
  return backWithFault(visit, provider, { kind, reason: kind });
}

const FAULTS = { taken: 'alreadyLinked', full: 'tooManyLinks', gone: 'disabled' } as const satisfies Record<
  string,
  SignInFault['kind']
>;
