/** `npm run test:helm`: the chart in packaging/helm, as a real `helm template` renders it. */
import { ensureHelm } from './helm.ts';
import { runTests } from './test-run/run-tests.ts';

const helm = ensureHelm();
if (helm.kind === 'missing') {
  process.stderr.write(`${helm.advice}\n`);
  process.exit(69);
}
const env = { ...process.env, TEST_HELM: helm.path };
const passed = await runTests({ passes: [{ name: '', files: ['test/packaging/helm.check.ts'], env }] });
process.exit(passed ? 0 : 1);
