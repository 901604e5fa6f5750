/** A process for sqlite-durability.test.ts: writes without end, and says of each write when it was acknowledged. */
import { writeSync } from 'node:fs';
import { openSqliteStore } from '../../src/assembly/store.sqlite.ts';
import { application, usedKey } from './contract/given.ts';

const [path = ''] = process.argv.slice(2);
const store = openSqliteStore(path);
for (let count = 0; ; count++) {
  const batch = [0, 1, 2].map(index => application({ code: `app-${count}-${index}` }));
  await Promise.all(batch.map(each => store.provision([{ kind: 'application', application: each }])));
  await Promise.all(batch.map(({ code }) => store.useOnce(usedKey(code), Buffer.alloc(8))));
  writeSync(1, `${batch.map(({ code }) => code).join('\n')}\n`);
}
