import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metrics } from './instruments.ts';
import { series } from './metrics.ts';

const RESOLUTION_MS = 20;

/** What every program has: memory, processor time, and how promptly it gets to its work. */
export function watchProcess(metrics: Metrics, version: string): void {
  metrics.watch({
    name: 'gatehouse_process_resident_memory_bytes',
    help: 'Resident memory; workers are added up.',
    together: 'sum',
    read: () => process.memoryUsage.rss(),
  });
  metrics.watch({
    name: 'gatehouse_process_heap_used_bytes',
    help: 'Heap of JavaScript in use.',
    together: 'sum',
    read: () => process.memoryUsage().heapUsed,
  });
  metrics.watch({
    name: 'gatehouse_process_cpu_seconds_total',
    help: 'Processor time, of the system and our own.',
    together: 'sum',
    counts: true,
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  });
  metrics.watch({
    name: 'gatehouse_process_start_time_seconds',
    help: 'When the oldest process began, in seconds since the Unix epoch.',
    together: 'least',
    read: () => performance.timeOrigin / 1000,
  });
  watchEventLoop(metrics);
  const build = series('gatehouse_build_info', { version, node: process.versions.node });
  metrics.add({
    family: () => ({
      name: 'gatehouse_build_info',
      help: 'The release that runs; always 1.',
      kind: 'gauge',
      together: 'greatest',
      samples: [[build, 1]],
    }),
  });
}

/** Beyond the time between two looks, which the histogram counts in. Each collection begins anew. */
function watchEventLoop(metrics: Metrics): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS) / 1000;
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
        together: 'greatest',
        samples,
      };
    },
  });
}
