import { readFileSync, writeFileSync } from 'node:fs';
import { openSqliteStore } from '../../src/assembly/store.sqlite.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

let template: Promise<Buffer> | undefined;

/** Writes a database with the tables, and nothing in them: for the many tests that are not about the start on an empty one. */
export async function writeMigratedFile(path: string): Promise<void> {
  template ??= makeTemplate();
  writeFileSync(path, await template, { mode: 0o600 });
}

/** Once in a process: creating the schema is most of the work of a server that starts. */
async function makeTemplate(): Promise<Buffer> {
  const folder = temporaryFolder();
  try {
    await openSqliteStore(folder.file('gatehouse.db')).close();
    return readFileSync(folder.file('gatehouse.db'));
  } finally {
    folder.remove();
  }
}
