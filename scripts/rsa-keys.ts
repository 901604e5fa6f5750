import { generateKeyPair } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** As many as nearly every test file needs; test/build/key-pairs.ts makes more where one needs more. */
const PAIRS = 4;

/** RSA keys for all test files, in a folder of this run: each takes up to half a second of a core. */
export async function makeRsaKeys(): Promise<{ readonly path: string; remove(): void }> {
  const generate = promisify(generateKeyPair);
  const pairs = await Promise.all(Array.from({ length: PAIRS }, () => generate('rsa', { modulusLength: 2048 })));
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-keys-'));
  const path = join(folder, 'rsa-keys.json');
  const texts = pairs.map(({ privateKey }) => privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(path, JSON.stringify(texts), { mode: 0o600 });
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
