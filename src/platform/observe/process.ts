import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metrics } from './instruments.ts';
import { series } from './metrics.ts';

const SAMPLING_INTERVAL_MS = 20;

/** Metrics of the process itself: memory, processor time, event-loop delay. */
export function watchProcess(metrics: Metrics, version: string): void {
  metrics.watch({
    name: 'gatehouse_process_resident_memory_bytes',
    help: 'Resident memory; workers are added up.',
    aggregation: 'sum',
    read: () => process.memoryUsage.rss(),
  });
  metrics.watch({
    name: 'gatehouse_process_heap_used_bytes',
    help: 'Heap of JavaScript in use.',
    aggregation: 'sum',
    read: () => process.memoryUsage().heapUsed,
  });
  metrics.watch({
    name: 'gatehouse_process_cpu_seconds_total',
    help: 'Processor time, user and system.',
    aggregation: 'sum',
    isCounter: true,
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  });
  metrics.watch({
    name: 'gatehouse_process_start_time_seconds',
    help: 'Start of the oldest process, in seconds since the Unix epoch.',
    aggregation: 'min',
    read: () => performance.timeOrigin / 1000,
  });
  watchEventLoop(metrics);
  const build = series('gatehouse_build_info', { version, node: process.versions.node });
  metrics.add({
    family: () => ({
      name: 'gatehouse_build_info',
      help: 'The release that runs; always 1.',
      kind: 'gauge',
      aggregation: 'max',
      samples: [[build, 1]],
    }),
  });
}

/** Node.js includes the sampling interval in each delay: it is subtracted here. Each collection resets the histogram. */
function watchEventLoop(metrics: Metrics): void {
  const delay = monitorEventLoopDelay({ resolution: SAMPLING_INTERVAL_MS });
  delay.enable();
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - SAMPLING_INTERVAL_MS) / 1000;
  metrics.add({
    family: () => {
      const name = 'gatehouse_event_loop_delay_seconds';
      const samples = [
        [series(name, { quantile: '0.5' }), seconds(delay.percentile(50))],
        [series(name, { quantile: '0.99' }), seconds(delay.percentile(99))],
        [series(name, { quantile: '1' }), seconds(delay.max)],
      ] as const;
      delay.reset();
      return {
        name,
        help: 'How late the event loop was since the last collection; the worst of the workers.',
        kind: 'gauge',
        aggregation: 'max',
        samples,
      };
    },
  });
}
