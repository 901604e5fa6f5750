import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Services } from '../../services.ts';
import { opened, sealedSession } from './keep.ts';
import { replaceProviderSession, sessionsOfOtherSecrets } from './queries.ts';

const BATCH_SIZE = 500;

/** Encrypts what sign-ins at providers have left with the newest secret of GATEHOUSE_SECRET: it lives for thirty days, and the old secret need not. */
export async function resealProviderSessions(
  { store, ring, log }: Pick<Services, 'store' | 'ring' | 'log'>,
  isStopped: () => boolean,
): Promise<void> {
  const [newest] = ring.secretIds;
  let resealed = 0;
  for (let after: string | undefined = ''; after !== undefined && !isStopped(); await nextTurn()) {
    const old = await sessionsOfOtherSecrets(store.cold, newest, after, BATCH_SIZE);
    for (const stored of old) {
      const kept = opened(ring, stored);
      // Undefined: none of the secrets opens it, and it ends by itself.
      if (kept && (await replaceProviderSession(store.cold, stored, sealedSession(ring, stored, kept)))) resealed++;
    }
    after = old.length < BATCH_SIZE ? undefined : old.at(-1)?.id;
  }
  if (resealed > 0) log.info('provider_sessions.resealed', { sessions: resealed });
}
