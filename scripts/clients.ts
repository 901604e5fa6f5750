/**
 * `npm run test:clients`: the Python clients of docs/clients, each from the text of its page, against a real server, and MCP's own tests of
 * authorization servers. Clients for Node.js are part of `npm test`.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ensureConformance } from './conformance.ts';
import { ensureEnvironment } from './python.ts';

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const environment = ensureEnvironment(at('test/clients/python/requirements.txt'), at('.cache/python'));
if (environment.kind === 'missing') {
  process.stderr.write(`${environment.advice}\n`);
  process.exit(69);
}
const conformance = ensureConformance(at('.cache/conformance'));
if (conformance === undefined) {
  process.stderr.write('The conformance tests of MCP could not be installed; the reason is above.\n');
  process.exit(69);
}
const { status } = spawnSync(
  process.execPath,
  [
    '--import',
    new URL('test-file-end.ts', import.meta.url).href,
    '--test',
    '--test-concurrency=2',
    '--test-timeout=240000',
    'test/clients/python/*.check.ts',
    'test/clients/*.check.ts',
  ],
  {
    stdio: 'inherit',
    cwd: at(''),
    env: { ...process.env, CLIENTS_PYTHON: environment.python, CLIENTS_CONFORMANCE: conformance },
  },
);
process.exit(status ?? 1);
