import { type Provider, providerOfAddress } from '../../directory/providers/rules.ts';
import type { LiveSession } from '../sessions/store.ts';
import type { Visit } from '../sign-in/visit.ts';
import { offeredAt } from './offered.ts';

/**
 * The provider that a sign-in goes to without a page: the one that the client names (`idp_hint`), the one to which the domain of
 * `login_hint` belongs, or the only way that the application offers. Undefined: the person chooses.
 */
export async function chosenFor(visit: Visit, session: LiveSession | undefined): Promise<Provider | undefined> {
  const { target, signIn } = visit;
  const { providerFault, linking, proofs, id } = signIn.progress;
  // Who comes back from a provider has something to read, and who presses the back button is not sent there again.
  if (!target || providerFault || linking || proofs.length > 0 || session?.openedByRequest === id) return undefined;
  const { idpHint, loginHint = '' } = target.request;
  const { providers, directories, local } = await offeredAt(visit);
  const hinted = providers.find(provider => provider.id === idpHint) ?? providerOfAddress(providers, loginHint);
  return hinted ?? (!local && providers.length + directories.length === 1 ? providers[0] : undefined);
}

/** The one to which the domain of the address belongs that somebody has typed. */
export async function providerOfTyped(visit: Visit, username: string): Promise<Provider | undefined> {
  const { linking, proofs } = visit.signIn.progress;
  if (linking || proofs.length > 0) return undefined;
  return providerOfAddress((await offeredAt(visit)).providers, username.trim());
}
