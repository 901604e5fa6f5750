import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../assembly/run.ts';
import type { TemporaryFolder } from '../store/temporary-folder.ts';
import { ROOT } from './outside.ts';

const TYPES: Readonly<Record<string, string>> = {
  Deployment: 'apps/v1',
  Service: 'core/v1',
  PodDisruptionBudget: 'policy/v1',
  Job: 'batch/v1',
  Ingress: 'networking/v1',
};

/** What the compiler says of these objects as literals of the types that are made from the API of Kubernetes: it knows every field. */
export async function compile(folder: TemporaryFolder, literals: readonly string[]): Promise<string> {
  const file = folder.file('manifest.ts');
  const imports = Object.entries(TYPES).map(
    ([kind, group]) => `import type { ${kind} } from '${ROOT}node_modules/kubernetes-types/${group}';`,
  );
  const objects = literals.map((literal, index) => {
    const { kind } = JSON.parse(literal);
    assert(kind in TYPES, kind);
    return `export const object${index}: ${kind} = ${literal};`;
  });
  writeFileSync(file, [...imports, ...objects].join('\n'));
  const options = ['--noEmit', '--strict', '--ignoreConfig', '--module', 'nodenext', '--types', ''];
  return (await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, file])).out;
}
