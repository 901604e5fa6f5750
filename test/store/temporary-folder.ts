import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder {
  file(name: string): string;
  remove(): void;
}

export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-store-'));
  return { file: name => join(path, name), remove: () => rmSync(path, { recursive: true, force: true }) };
}
