/** `npm run test:collector`: what the server exports by OTLP, as the receiver of the OpenTelemetry Collector reads it. */
import { ensureCollector } from './collector.ts';
import { runTests } from './test-run/run-tests.ts';

const collector = ensureCollector();
if (collector.kind === 'missing') {
  process.stderr.write(`${collector.advice}\n`);
  process.exit(69);
}
const passed = await runTests({
  passes: [
    {
      name: '',
      files: ['test/platform/telemetry/collector.check.ts'],
      env: { ...process.env, TEST_COLLECTOR: collector.path },
    },
  ],
});
process.exit(passed ? 0 : 1);
