import { newEvent } from '../../audit/events/new-event.ts';
import type { Output } from '../../operators/cli/command.ts';
import { EXIT } from '../../operators/cli/exit.ts';
import type { Services } from '../../services.ts';
import { openTotpKey } from './key.ts';

/**
 * `gatehouse keys forget-totp --lost-secret`: removes the second factors of every user whose key of an authenticator app was encrypted
 * with a secret that GATEHOUSE_SECRET does not list any more.
 */
export function isForgetTotp(args: readonly string[]): boolean {
  return args.length === 2 && args[0] === 'forget-totp' && args[1] === '--lost-secret';
}

const BATCH_SIZE = 500;

export async function forgetTotpKeys(services: Services, stdout: Output): Promise<number> {
  let users = 0;
  for (;;) {
    const lost = await services.store.totpKeysOfOtherSecrets(services.ring.secretIds, BATCH_SIZE);
    for (const { sub, sealedKey } of lost) {
      if (openTotpKey(services.ring, sub, sealedKey) !== undefined) continue;
      if (await services.store.resetUserFactors(sub, services.clock.now(), { event: removedEvent(services, sub) }))
        users++;
    }
    if (lost.length < BATCH_SIZE) break;
  }
  stdout.write(`The second factors of ${users} ${users === 1 ? 'user' : 'users'} were removed.\n`);
  return EXIT.ok;
}

function removedEvent(services: Services, sub: string) {
  return newEvent(services, {
    type: 'factor.removed',
    outcome: 'success',
    actor: { kind: 'system' },
    subject: sub,
    details: { factor: 'all', reason: 'lost secret' },
  });
}
