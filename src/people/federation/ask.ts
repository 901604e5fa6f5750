import type { Services } from '../../services.ts';
import type { ProviderFault } from './connector.ts';

type Failed = { readonly kind: 'failed'; readonly fault: ProviderFault };

/** Asks a provider, unless so many wait for it already that others would be late for it. */
export async function askProvider<T>(
  { providerHealth }: Pick<Services, 'providerHealth'>,
  id: string,
  ask: () => Promise<T>,
): Promise<T | Failed> {
  const release = providerHealth.tryAcquire(id);
  if (!release) return { kind: 'failed', fault: { kind: 'unavailable', reason: 'too many people wait for it' } };
  try {
    return await ask();
  } finally {
    release();
  }
}
