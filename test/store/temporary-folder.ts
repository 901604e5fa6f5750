import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { memoryFolder } from '../../scripts/memory-folder.ts';

export interface TemporaryFolder {
  file(name: string): string;
  remove(): void;
}

/** In memory, where that is possible. What measures a disk names it. */
export function temporaryFolder(parent = memoryFolder()): TemporaryFolder {
  const path = mkdtempSync(join(parent, 'gatehouse-store-'));
  return { file: name => join(path, name), remove: () => rmSync(path, { recursive: true, force: true }) };
}
