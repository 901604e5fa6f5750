import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The first version with tests of authorization servers is a preview. */
const PACKAGE = '@modelcontextprotocol/conformance';
const VERSION = '0.2.0-alpha.12';

/** The program of MCP's conformance tests, installed once; undefined if it cannot be, for the reason that npm has printed. */
export function ensureConformance(folder: string): string | undefined {
  const place = join(folder, VERSION);
  const program = join(place, 'node_modules', PACKAGE, 'dist', 'index.js');
  if (existsSync(program)) return program;
  process.stdout.write(`Installing ${PACKAGE} (52 MB) …\n`);
  const making = `${place}.part`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  const options = [
    '--prefix',
    '.',
    '--no-package-lock',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const { status } = spawnSync('npm', ['install', ...options, `${PACKAGE}@${VERSION}`], {
    cwd: making,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) return undefined;
  // Only a complete installation has the name that is looked for.
  const moved = spawnSync('mv', [making, place]).status === 0;
  return moved && existsSync(program) ? program : undefined;
}
