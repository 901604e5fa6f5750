import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../../scripts/free-port.ts';
import { exportMetrics, measureProcess } from '../../../src/assembly/serving.ts';
import { aTokenSet, introspect } from '../../build/client.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';

/** The program of collector/: the Collector's own receiver, and its own form of what it understood, a line for each request. */
async function startCollector() {
  const port = await freePort();
  const program = spawn(process.env.TEST_COLLECTOR ?? assert.fail('npm run test:collector'), [`127.0.0.1:${port}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // biome-ignore lint/suspicious/noExplicitAny: what the Collector wrote
  const lines: any[] = [];
  createInterface(program.stdout).on('line', line => lines.push(JSON.parse(line)));
  const address = `http://127.0.0.1:${port}`;
  await until('the collector listens', () =>
    fetch(address).then(
      () => true,
      () => false,
    ),
  );
  return {
    address,
    spans: () => lines.flatMap(line => line.resourceSpans?.[0].scopeSpans[0].spans ?? []),
    metrics: () => lines.flatMap(line => line.resourceMetrics?.[0].scopeMetrics[0].metrics ?? []),
    resource: () => lines[0]?.resourceSpans?.[0].resource.attributes ?? [],
    stop: () =>
      new Promise(resolve => {
        program.once('exit', resolve);
        program.kill('SIGINT');
      }),
  };
}

describe('the receiver of the OpenTelemetry Collector', () => {
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let testServer: TestServer;
  before(async () => {
    collector = await startCollector();
    testServer = await startTestServer({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.address, OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' },
    });
  });
  after(async () => {
    await testServer.close();
    await collector.stop();
  });

  it('reads the spans of a request with ids, times, kinds and attributes', async () => {
    const { access_token } = await aTokenSet(testServer);
    await introspect(testServer, { token: access_token });
    await testServer.services.tracing?.flush();
    const isRequest = ({ name }: { name: string }) => name.endsWith('/oauth2/introspect');
    await until('the spans have come', () => collector.spans().some(isRequest));
    const request = collector.spans().find(isRequest);
    assert.match(request.traceId, /^[0-9a-f]{32}$/);
    assert.equal(request.kind, 2);
    assert.equal(request.flags, 0x101);
    const status = request.attributes.find(({ key }: { key: string }) => key === 'http.response.status_code');
    assert.deepEqual(status.value, { intValue: '200' });
    const operation = collector.spans().find(({ parentSpanId }) => parentSpanId === request.spanId);
    assert.match(operation.name, /^store /);
    assert(BigInt(operation.startTimeUnixNano) >= BigInt(request.startTimeUnixNano));
    assert(collector.resource().some(({ key }: { key: string }) => key === 'service.name'));
  });

  it('reads counters, gauges and histograms', async () => {
    const { config, log, metrics } = testServer.services;
    measureProcess(metrics);
    const exported = await exportMetrics(config, metrics.families, log);
    await exported?.stop();
    const find = (name: string) => collector.metrics().find(metric => metric.name === name);
    await until('the metrics have come', () => find('gatehouse_tokens_issued_total') !== undefined);
    const tokens = find('gatehouse_tokens_issued_total');
    assert.equal(tokens.sum.isMonotonic, true);
    assert.equal(tokens.sum.aggregationTemporality, 2);
    const ofAccess = tokens.sum.dataPoints.find(
      // biome-ignore lint/suspicious/noExplicitAny: what the Collector wrote
      ({ attributes }: any) => attributes[0].key === 'kind' && attributes[0].value.stringValue === 'access',
    );
    assert(ofAccess.asDouble >= 1);
    const times = find('gatehouse_request_duration_seconds').histogram.dataPoints[0];
    assert.equal(times.bucketCounts.length, times.explicitBounds.length + 1);
    assert(find('gatehouse_process_resident_memory_bytes').gauge.dataPoints[0].asDouble > 10_000_000);
  });
});
