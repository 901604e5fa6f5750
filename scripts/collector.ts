/**
 * The OTLP receiver of the OpenTelemetry Collector for the tests: built once, by an installed Go, from the modules that
 * test/platform/telemetry/collector/go.sum pins. TEST_COLLECTOR names one that exists.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Collector =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly advice: string };

const SOURCE = fileURLToPath(new URL('../test/platform/telemetry/collector', import.meta.url));
const FOLDER = fileURLToPath(new URL('../.cache/collector', import.meta.url));
const BUILT = join(FOLDER, `otlp-receiver-${process.arch}`);

export function ensureCollector(): Collector {
  const present = [process.env.TEST_COLLECTOR, BUILT].find(path => path !== undefined && existsSync(path));
  if (present !== undefined) return { kind: 'found', path: present };
  if (build()) return { kind: 'found', path: BUILT };
  return { kind: 'missing', advice: 'The test with the OpenTelemetry Collector needs Go 1.25 or later to build it.' };
}

function build(): boolean {
  process.stdout.write('Building the receiver of the OpenTelemetry Collector (three minutes of one processor) …\n');
  mkdirSync(FOLDER, { recursive: true });
  // Only a complete program has the name that is looked for.
  const unfinished = `${BUILT}.${process.pid}`;
  const options = ['build', '-mod=readonly', '-trimpath', '-o', unfinished, '.'];
  const { status } = spawnSync('go', options, { cwd: SOURCE, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status === 0) renameSync(unfinished, BUILT);
  return status === 0;
}
