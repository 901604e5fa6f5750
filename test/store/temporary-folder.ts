import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { memoryFolder } from '../../scripts/memory-folder.ts';

export interface TemporaryFolder {
  file(name: string): string;
  remove(): void;
}

export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(memoryFolder(), 'gatehouse-store-'));
  return { file: name => join(path, name), remove: () => rmSync(path, { recursive: true, force: true }) };
}
