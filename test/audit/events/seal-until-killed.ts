import '../../../src/platform/compile-cache.ts';
import { setTimeout as pause } from 'node:timers/promises';

// After the cache of compiled sources is there.
const { parseDatabaseAddress } = await import('../../../src/platform/config/database-address.ts');
const { sealEvents } = await import('../../../src/audit/events/maintain.ts');
const { createKeyRing } = await import('../../../src/platform/crypto/key-ring.ts');
const { systemRandom } = await import('../../../src/platform/crypto/random.ts');
const { openStore } = await import('../../../src/assembly/open-store.ts');

/** A node that seals in small batches, until it is killed: `DATABASE_URL SECRET`. */
const [url = '', secret = ''] = process.argv.slice(2);
const address = parseDatabaseAddress(url);
if (!address) throw new Error('no address of a database');
const store = await openStore(address, { timeoutMs: 30_000 });
const ring = createKeyRing([secret], systemRandom);
process.stdout.write('sealing\n');
while (true) {
  const outcome = await sealEvents({ store, ring }, 3);
  if (outcome.kind === 'broken') throw new Error(outcome.reason);
  // With events to seal it goes on at once.
  await pause(outcome.count > 0 ? 0 : 5);
}
