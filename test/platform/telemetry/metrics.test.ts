import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exportMetrics } from '../../../src/assembly/serving.ts';
import { readSeries, series } from '../../../src/platform/observe/metrics.ts';
import { aTokenSet, get } from '../../build/client.ts';
import { readExposition } from '../../build/exposition.ts';
import { openOtlpReceiver } from '../../build/otlp-receiver.ts';
import { startTestServer } from '../../build/test-server.ts';

describe('metrics by OTLP (OpenTelemetry)', () => {
  it('are those of /metrics, with the same names, labels and values', async () => {
    const receiver = await openOtlpReceiver();
    const token = 'a-token-for-the-collector';
    const testServer = await startTestServer({
      env: { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${receiver.address}/here`, GATEHOUSE_METRICS_TOKEN: token },
    });
    try {
      assert.equal(testServer.services.tracing, undefined, 'without an endpoint for traces');
      await aTokenSet(testServer);
      const { config, metrics, log } = testServer.services;
      const exporting = await exportMetrics(config, metrics.families, log);
      const { text } = await get(`${testServer.base}/metrics`, { authorization: `Bearer ${token}` });
      await exporting?.stop();
      assert.equal(receiver.requests[0]?.path, '/here');
      assert.equal(receiver.resource()['service.name'], 'gatehouse');
      for (const [name, { type }] of readExposition(text)) {
        const kind = type === 'counter' ? 'sum' : type;
        assert.equal(receiver.metrics.get(name)?.kind, kind, name);
      }
      const tokens = receiver.metrics.get('gatehouse_tokens_issued_total')?.points;
      assert.deepEqual(
        tokens?.map(({ attributes, value }) => [attributes.kind, value]),
        [
          ['code', 0],
          ['access', 1],
          ['refresh', 1],
          ['id', 1],
        ],
      );
      const times = receiver.metrics.get('gatehouse_request_duration_seconds');
      assert.equal(times?.unit, 's');
      const ofToken = times?.points.find(({ attributes }) => attributes.route === 'token');
      assert.deepEqual(ofToken, { attributes: { route: 'token', status: '2xx' }, value: 1 });
    } finally {
      await testServer.close();
      await receiver.close();
    }
  });

  it('are timed without Prometheus too', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_TRACES_EXPORTER: 'none' };
    const testServer = await startTestServer({ env });
    try {
      assert(testServer.services.metrics.timing);
    } finally {
      await testServer.close();
    }
  });

  it('have any label', () => {
    const labels = { a: 'x"y\\z\nn', route: '/login,{b}="c"' };
    assert.deepEqual(readSeries(series('name', labels)), { name: 'name', labels });
    assert.deepEqual(readSeries('name'), { name: 'name', labels: {} });
  });
});
