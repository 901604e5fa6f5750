import type { Services } from '../../services.ts';
import { onceKey } from '../crypto/credential.ts';
import { endsOfUse, type UsedAt } from './rules.ts';

const CALL_ID_BYTES = 8;

/**
 * Whether this identifier was not used before, on any node; from now on it is. One after the other: of parallel uses that share all blocks
 * one is the first in the first block, and the others stop there.
 */
export async function isFirstUse(
  { store, random }: Pick<Services, 'store' | 'random'>,
  kind: Parameters<typeof onceKey>[0],
  parts: readonly string[],
  usedAt: UsedAt,
): Promise<boolean> {
  const callId = random.bytes(CALL_ID_BYTES);
  for (const end of endsOfUse(usedAt)) {
    if (!(await store.useOnce(onceKey(kind, parts, end), callId))) return false;
  }
  return true;
}
