/** `npm run test:go`: the pages of docs/clients in Go, which an installed Go builds, and the guide on staff tools with oauth2-proxy itself. */
import { ensureOauth2Proxy } from './oauth2-proxy.ts';
import { runTests } from './test-run/run-tests.ts';

const proxy = ensureOauth2Proxy();
if (proxy.kind === 'missing') {
  process.stderr.write(`${proxy.advice}\n`);
  process.exit(69);
}
const env = { ...process.env, TEST_OAUTH2_PROXY: proxy.path };
const files = ['test/clients/go/pages.check.ts', 'test/guides/staff-tools.check.ts'];
const passed = await runTests({ passes: [{ name: '', files, env }] });
process.exit(passed ? 0 : 1);
