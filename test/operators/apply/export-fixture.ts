import assert from 'node:assert/strict';
import { readApplyFiles } from '../../../src/operators/apply/apply-file.ts';
import { plannedLine } from '../../../src/operators/apply/difference.ts';
import { type ExportOptions, exportText } from '../../../src/operators/apply/export.ts';
import { planChanges } from '../../../src/operators/apply/plan.ts';
import type { PlanOptions } from '../../../src/operators/apply/plan-step.ts';
import { generateSystemKeyPair } from '../../../src/platform/crypto/key-pair.ts';
import { fixedClock } from '../../build/clock.ts';
import { fields } from '../../build/fields.ts';
import { createMigratedDatabase } from '../../build/postgres.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';

/** Everything that the file does not name is deleted, so the store is what the file says. */
export const EVERYTHING = { prune: true, pruneUsers: true, allowEmpty: true };

export async function apply(server: TestServer, text: string): Promise<void> {
  assert.deepEqual(await tryApply(server, text), []);
}

/** The faults of the file, if it has any. */
export async function tryApply({ services }: TestServer, text: string, options: PlanOptions = EVERYTHING) {
  const read = readApplyFiles(fields, [{ name: 'file', text }]);
  if (read.kind === 'faulty') return read.faults;
  const { changes, faults } = await planChanges(services, read.file, options);
  if (faults.length > 0) return faults.map(read.describe);
  assert.deepEqual(await services.store.provision(changes), { kind: 'done' });
  return [];
}

export async function diff({ services }: TestServer, text: string): Promise<string[]> {
  const read = readApplyFiles(fields, [{ name: 'export', text }]);
  assert(read.kind === 'valid', read.kind === 'faulty' ? read.faults.join('; ') : '');
  const { differences, faults } = await planChanges(services, read.file, { ...EVERYTHING, dryRun: true });
  assert.deepEqual(faults.map(read.describe), []);
  return differences.map(plannedLine);
}

export async function exported({ services }: TestServer, over: Partial<ExportOptions> = {}): Promise<string> {
  const options: ExportOptions = { format: 'yaml', users: true, passwordHashes: false, ...over };
  let text = '';
  for await (const part of exportText(services, options)) text += part;
  return text;
}

/** Two stores; which key an application has does not matter here, and RSA keys take long to make. */
export const twoStores = async (env: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>) => {
  const start = (its: Readonly<Record<string, string>>) =>
    startTestServer({
      applications: [],
      users: [],
      clock: fixedClock(),
      env: its,
      generateKeyPair: () => generateSystemKeyPair('ES256'),
    });
  return [await start(env), await start(other)] as const;
};

/** Two empty stores of this kind. */
export async function storesOn(store: 'SQLite' | 'PostgreSQL') {
  const databases = store === 'PostgreSQL' ? [await createMigratedDatabase(), await createMigratedDatabase()] : [];
  const [one, two] = databases.map(({ url }) => ({ DATABASE_URL: url }));
  const servers = await twoStores(one ?? {}, two ?? {});
  const close = async () => {
    for (const server of servers) await server.close();
    for (const database of databases) await database.drop();
  };
  return { servers, close };
}
