import { openSqliteStore } from '../../src/assembly/store.sqlite.ts';
import type { Store } from '../../src/store.ts';
import { writeMigratedFile } from '../build/sqlite.ts';
import type { OpenStore } from './contract/given.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A store in a file of its own. */
export const openSqliteFile: OpenStore = async () => {
  const folder = temporaryFolder();
  await writeMigratedFile(folder.file('gatehouse.db'));
  const stores: Store[] = [];
  const another = async () => {
    const store = openSqliteStore(folder.file('gatehouse.db'));
    stores.push(store);
    return store;
  };
  const discard = async () => {
    await Promise.all(stores.map(store => store.close()));
    folder.remove();
  };
  return { store: await another(), url: `sqlite:${folder.file('gatehouse.db')}`, another, discard };
};
