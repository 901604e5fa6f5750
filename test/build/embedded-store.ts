import { openSqliteStore } from '../../src/assembly/store.sqlite.ts';
import type { Store } from '../../src/store.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { writeMigratedFile } from './sqlite.ts';

/** An empty embedded store that lives as long as the test. */
export async function withEmbeddedStore(test: (store: Store) => Promise<void>): Promise<void> {
  const folder = temporaryFolder();
  await writeMigratedFile(folder.file('gatehouse.db'));
  const store = openSqliteStore(folder.file('gatehouse.db'));
  try {
    await test(store);
  } finally {
    await store.close();
    folder.remove();
  }
}
