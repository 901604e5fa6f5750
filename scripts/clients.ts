/**
 * `npm run test:clients`: the Python clients of docs/clients, each from the text of its page, against a real server. Those for
 * Node.js are part of `npm test`.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ensureEnvironment } from './python.ts';

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const environment = ensureEnvironment(at('test/clients/python/requirements.txt'), at('.cache/python'));
if (environment.kind === 'missing') {
  process.stderr.write(`${environment.advice}\n`);
  process.exit(69);
}
const { status } = spawnSync(
  process.execPath,
  ['--test', '--test-concurrency=2', '--test-timeout=240000', 'test/clients/python/*.check.ts'],
  { stdio: 'inherit', cwd: at(''), env: { ...process.env, CLIENTS_PYTHON: environment.python } },
);
process.exit(status ?? 1);
