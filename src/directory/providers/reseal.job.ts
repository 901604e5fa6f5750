import { newEvent } from '../../audit/events/new-event.ts';
import { SYSTEM } from '../../audit/events/request-event.ts';
import type { Services } from '../../services.ts';
import type { Provider } from './rules.ts';
import { openProviderSecrets, sealProviderSecrets } from './secrets.ts';

type Resealing = Pick<Services, 'store' | 'ring' | 'log' | 'clock' | 'random'>;

/**
 * Encrypts the secrets at identity providers with the newest secret of GATEHOUSE_SECRET. The keys of this server among them live as long as
 * their providers, and no operator can type them again, so without this an old secret could never be taken away.
 */
export async function resealProviders(services: Resealing, isStopped: () => boolean): Promise<void> {
  const old = (await services.store.listProviders()).filter(each => isOld(services, each));
  let resealed = 0;
  for (const { id } of old) if (!isStopped() && (await reseal(services, id))) resealed++;
  if (resealed > 0) services.log.info('providers.resealed', { providers: resealed });
}

/** What is sealed begins with the id of its secret. */
function isOld({ ring }: Resealing, { sealedSecrets }: Provider): boolean {
  const [newest] = ring.secretIds;
  return (
    sealedSecrets !== undefined && Buffer.from(sealedSecrets.subarray(0, newest.length / 2)).toString('hex') !== newest
  );
}

async function reseal(services: Resealing, id: string): Promise<boolean> {
  const outcome = await services.store.changeProvider(id, ({ current }) => {
    const secrets = current && isOld(services, current) ? openProviderSecrets(services, current) : {};
    // None of the secrets opens them (assembly/check-secrets.ts), or another node was faster.
    if (!current || Object.keys(secrets).length === 0) return { result: false };
    const value = { ...current, sealedSecrets: sealProviderSecrets(services, id, secrets) };
    const details = { fields: Object.keys(secrets), reason: 'resealed' };
    const fields = { type: 'provider.updated', outcome: 'success', actor: SYSTEM, subject: id, details } as const;
    return { result: true, write: { value, act: { event: newEvent(services, fields) } } };
  });
  return outcome === true;
}
