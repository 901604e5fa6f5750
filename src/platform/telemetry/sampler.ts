import type { SamplerSettings } from '../config/telemetry-settings.ts';
import type { TraceContext } from './trace-context.rules.ts';

const MAX_56_BIT = 2 ** 56;

/**
 * Whether the spans of a trace are recorded. The ratio is compared with the last 56 bits of the trace id ("Probability sampling" of
 * OpenTelemetry), so that all nodes decide alike.
 */
export function isTraceSampled(
  { ratio, followsCaller }: SamplerSettings,
  traceId: string,
  caller: TraceContext | undefined,
): boolean {
  if (caller && followsCaller) return caller.isSampled;
  return ratio >= 1 || Number.parseInt(traceId.slice(-14), 16) / MAX_56_BIT < ratio;
}
