import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseDatabaseAddress } from '../../src/database-address.ts';
import { sealEvents } from '../../src/events/maintain.ts';
import { createKeyRing } from '../../src/keys/key-ring.ts';
import { systemRandom } from '../../src/random.ts';
import { openStore } from '../../src/store/open-store.ts';

/** A node that seals without a pause, in small batches, until it is killed: `DATABASE_URL SECRET`. */
const [url = '', secret = ''] = process.argv.slice(2);
const address = parseDatabaseAddress(url);
if (!address) throw new Error('no address of a database');
const store = await openStore(address, { timeoutMs: 30_000 });
const ring = createKeyRing([secret], systemRandom);
process.stdout.write('sealing\n');
while (true) {
  const outcome = await sealEvents({ store, ring }, 3);
  if (outcome.kind === 'broken') throw new Error(outcome.reason);
  await nextTurn();
}
