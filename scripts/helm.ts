/** Helm for the test of the chart: TEST_HELM names one, otherwise it is built once, by an installed Go, from the Go module proxy. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Helm =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly advice: string };

/** The database of checksums of Go modules holds its hash. */
const MODULE = 'helm.sh/helm/v3/cmd/helm@v3.22.0';
const FOLDER = fileURLToPath(new URL('../.cache/helm', import.meta.url));
const BUILT = join(FOLDER, 'helm');

export function ensureHelm(): Helm {
  const present = [process.env.TEST_HELM, BUILT].find(path => path !== undefined && existsSync(path));
  if (present !== undefined) return { kind: 'found', path: present };
  process.stdout.write(`Building Helm for the test of the chart (go install ${MODULE}) …\n`);
  mkdirSync(FOLDER, { recursive: true });
  // Go moves the program to its place when it is complete.
  const env = { ...process.env, GOBIN: FOLDER };
  const { status } = spawnSync('go', ['install', MODULE], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status === 0) return { kind: 'found', path: BUILT };
  return {
    kind: 'missing',
    advice: 'The test of the Helm chart needs Go, which builds Helm, or Helm where TEST_HELM says.',
  };
}
