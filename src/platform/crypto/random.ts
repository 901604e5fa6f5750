import { randomFillSync } from 'node:crypto';
import type { Random } from '../deps.ts';

const POOL_BYTES = 4096;

/**
 * Random bytes of the operating system, read 4 KiB at a time: reading 32 bytes at a time costs ten times as much per byte. Bytes
 * that were given out are erased from the pool, so that they cannot be read there later.
 */
function createRandom(): Random {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  return {
    bytes(count) {
      if (count > POOL_BYTES) return randomFillSync(Buffer.alloc(count));
      if (used + count > POOL_BYTES) {
        randomFillSync(pool);
        used = 0;
      }
      const taken = Buffer.from(pool.subarray(used, used + count));
      pool.fill(0, used, used + count);
      used += count;
      return taken;
    },
  };
}

export const systemRandom: Random = createRandom();
