import type { MetricExportSettings, TelemetrySettings } from '../config/telemetry-settings.ts';
import type { Log } from '../observe/log.ts';
import type { Family } from '../observe/metrics.ts';
import { releaseVersion } from '../release.ts';
import { metricsRequest } from './otlp-metrics.ts';
import { type Exported, sendOtlp } from './otlp-sender.ts';
import { resourceOf } from './resource.ts';

export interface MetricExporter {
  /** Sends the last values, and none after them. */
  stop(): Promise<void>;
}

/** Sends the metrics of this process regularly. Counters go on from the start of the process, so an export that fails loses nothing. */
export function startMetricExport(
  settings: TelemetrySettings,
  target: MetricExportSettings,
  families: () => readonly Family[],
  log: Log,
): MetricExporter {
  const [resource, version] = [resourceOf(settings), releaseVersion()];
  let running: Promise<void> | undefined;
  let isFailing = false;

  const report = (outcome: Exported) => {
    const failed = outcome.kind !== 'taken';
    if (failed && !isFailing) log.warn('telemetry.failed', { signal: 'metrics', reason: outcome.reason });
    if (!failed && isFailing) log.info('telemetry.recovered', { signal: 'metrics' });
    isFailing = failed;
  };
  const send = async () => {
    const period = { from: performance.timeOrigin, to: Date.now() };
    report(await sendOtlp(target, metricsRequest(resource, version, families(), period)));
  };
  const run = () => {
    running ??= send().finally(() => {
      running = undefined;
    });
    return running;
  };
  const timer = setInterval(() => void run(), target.intervalMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
      await run();
    },
  };
}
