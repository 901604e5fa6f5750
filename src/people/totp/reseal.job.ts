import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Services } from '../../services.ts';
import { openTotpKey, sealTotpKey } from './key.ts';

const BATCH_SIZE = 500;

/**
 * Encrypts the keys of authenticator apps with the newest secret of GATEHOUSE_SECRET. They live as long as their users, so without
 * this an old secret could never be taken away. Signing keys are replaced by rotation, waiting mails are sent within a day.
 */
export async function resealTotpKeys(
  { store, ring, log }: Pick<Services, 'store' | 'ring' | 'log'>,
  isStopped: () => boolean,
): Promise<void> {
  const [newest] = ring.secretIds;
  let resealed = 0;
  while (!isStopped()) {
    const old = await store.totpKeysOfOtherSecrets([newest], BATCH_SIZE);
    let replaced = 0;
    for (const { sub, sealedKey } of old) {
      const key = openTotpKey(ring, sub, sealedKey);
      if (key && (await store.replaceTotpKey(sub, sealedKey, sealTotpKey(ring, sub, key)))) replaced++;
    }
    resealed += replaced;
    // None: there are no more, or none of the secrets opens them (assembly/check-secrets.ts).
    if (replaced === 0) break;
    await nextTurn();
  }
  if (resealed > 0) log.info('totp.resealed', { keys: resealed });
}
