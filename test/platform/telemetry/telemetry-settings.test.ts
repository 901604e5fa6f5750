import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../../../src/platform/config/config.ts';

const ENDPOINT = 'http://127.0.0.1:4318';

function telemetry(env: Record<string, string>) {
  const read = readConfig(env);
  assert(read.kind === 'valid', read.kind === 'faulty' ? read.faults.join('; ') : '');
  return read.config.telemetry;
}

function faults(env: Record<string, string>): readonly string[] {
  const read = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, ...env });
  return read.kind === 'faulty' ? read.faults : [];
}

describe('the settings of OpenTelemetry', () => {
  it('are off without an endpoint, whatever else a platform sets for its programs', () => {
    assert.equal(telemetry({}), undefined);
    assert.equal(telemetry({ OTEL_TRACES_SAMPLER: 'jaeger_remote', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }), undefined);
    assert.equal(telemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: 'nonsense', OTEL_SDK_DISABLED: 'true' }), undefined);
  });

  it('have the defaults of the specification', () => {
    const target = { headers: {}, isCompressed: false, timeoutMs: 10_000 };
    assert.deepEqual(telemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: `${ENDPOINT}/` }), {
      resource: { 'service.name': 'gatehouse' },
      traces: {
        ...{ ...target, url: `${ENDPOINT}/v1/traces`, sampler: { ratio: 1, followsCaller: true } },
        ...{ delayMs: 5000, maxWaiting: 2048, maxPerBatch: 512 },
      },
      metrics: { ...target, url: `${ENDPOINT}/v1/metrics`, intervalMs: 60_000 },
    });
  });

  it('name an endpoint for each signal, which is taken as it is', () => {
    const own = telemetry({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/custom?tenant=1' });
    assert.equal(own?.traces?.url, 'https://traces.example/custom?tenant=1');
    assert.equal(own?.metrics, undefined);
    const without = telemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_TRACES_EXPORTER: 'none' });
    assert.equal(without?.traces, undefined);
    assert.equal(without?.metrics?.url, `${ENDPOINT}/v1/metrics`);
  });

  it('have headers and resource attributes, percent-encoded', () => {
    const read = telemetry({
      OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20abc, x-tenant=1',
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'x-tenant=2',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=t%C3%A4st',
      OTEL_SERVICE_NAME: 'login',
    });
    assert.deepEqual(read?.traces?.headers, { authorization: 'Bearer abc', 'x-tenant': '1' });
    assert.deepEqual(read?.metrics?.headers, { authorization: 'Bearer abc', 'x-tenant': '2' });
    assert.deepEqual(read?.resource, { 'service.name': 'login', 'deployment.environment.name': 'täst' });
  });

  for (const [name, sampler] of [
    ['always_on', { ratio: 1, followsCaller: false }],
    ['always_off', { ratio: 0, followsCaller: false }],
    ['traceidratio', { ratio: 0.25, followsCaller: false }],
    ['parentbased_always_on', { ratio: 1, followsCaller: true }],
    ['parentbased_always_off', { ratio: 0, followsCaller: true }],
    ['parentbased_traceidratio', { ratio: 0.25, followsCaller: true }],
  ] as const) {
    it(`know the sampler ${name}`, () => {
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: '0.25' };
      assert.deepEqual(telemetry(env)?.traces?.sampler, sampler);
    });
  }

  for (const [name, value] of [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:password@localhost:4318'],
    ['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', 'ftp://localhost'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zstd'],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '10s'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'no header'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%zz'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b%0d%0ac: d'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'alone'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_BSP_MAX_QUEUE_SIZE', '0'],
    ['OTEL_METRIC_EXPORT_INTERVAL', '1'],
  ] as const) {
    it(`refuse ${name}=${value}`, () => {
      const found = faults({ [name]: value });
      assert.equal(found.length, 1);
      assert(found[0]?.startsWith(`${name}: must be `), found.join());
    });
  }

  it('refuse a ratio that is none', () => {
    const env = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '1.1' };
    assert.deepEqual(faults(env), ['OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1']);
  });

  it('are shown to operators where they are set, without the headers', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc' };
    const read = readConfig(env);
    assert(read.kind === 'valid');
    const shown = read.config.settings.filter(({ name }) => name.startsWith('OTEL_'));
    assert.deepEqual(
      shown.map(({ name, value }) => [name, value]),
      [
        ['OTEL_EXPORTER_OTLP_ENDPOINT', ENDPOINT],
        ['OTEL_EXPORTER_OTLP_HEADERS', '••••••••'],
      ],
    );
  });
});
