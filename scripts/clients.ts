/**
 * `npm run test:clients`: the Python clients of docs/clients, each from the text of its page, against a real server, and MCP's own tests of
 * authorization servers. Clients for Node.js are part of `npm test`.
 */
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ensureConformance } from './conformance.ts';
import { ensureEnvironment } from './python.ts';
import { runTests } from './test-run/run-tests.ts';

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
const passed = await runTests({
  passes: [
    {
      name: '',
      files: globSync(['test/clients/python/*.check.ts', 'test/clients/*.check.ts'], { cwd: at('') }).sort(),
      env: { ...process.env, CLIENTS_PYTHON: environment.python, CLIENTS_CONFORMANCE: conformance },
    },
  ],
});
process.exit(passed ? 0 : 1);
