import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { TelemetrySettings } from '../config/telemetry-settings.ts';
import { releaseVersion } from '../release.ts';
import type { Attributes } from './current-span.ts';

/** Each process of GATEHOUSE_WORKERS is an instance of its own: a receiver adds their counters up. */
const INSTANCE = randomUUID();

/** What every span and metric says of this process (semantic conventions, "Resource"). */
export function resourceOf({ resource }: TelemetrySettings): Attributes {
  return {
    'service.version': releaseVersion(),
    'service.instance.id': INSTANCE,
    'host.name': hostname(),
    'process.pid': process.pid,
    ...resource,
  };
}
