import type { Services } from '../../services.ts';

/** Most deployments have no identity provider, and load no more than this. */
export async function resealSessionsOfProviders(services: Services, isStopped: () => boolean): Promise<void> {
  if ((await services.registry.providers()).length === 0) return;
  const { resealProviderSessions } = await import('./reseal.ts');
  await resealProviderSessions(services, isStopped);
}
