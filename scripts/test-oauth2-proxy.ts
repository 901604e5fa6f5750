/** `npm run test:oauth2-proxy`: the guide on staff tools, with the program that it is about. */
import { ensureOauth2Proxy } from './oauth2-proxy.ts';
import { runTests } from './test-run/run-tests.ts';

const proxy = ensureOauth2Proxy();
if (proxy.kind === 'missing') {
  process.stderr.write(`${proxy.advice}\n`);
  process.exit(69);
}
const env = { ...process.env, TEST_OAUTH2_PROXY: proxy.path };
const passed = await runTests({ passes: [{ name: '', files: ['test/guides/staff-tools.check.ts'], env }] });
process.exit(passed ? 0 : 1);
