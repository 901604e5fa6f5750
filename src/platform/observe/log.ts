import { currentSpan } from '../telemetry/current-span.ts';

/**
 * Structured log lines: JSON, or readable text on a terminal. Callers pass single named fields, never a whole request, header
 * or body, so that no secret is logged by accident.
 */
export const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type Level = (typeof levels)[number];

export type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  debug(event: string, fields?: Fields): void;
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
}

export function createLog(minLevel: Level, readable: boolean, write: (line: string) => void): Log {
  const threshold = levels.indexOf(minLevel);
  const at = (level: Exclude<Level, 'silent'>) => {
    if (levels.indexOf(level) < threshold) return () => {};
    const format = readable ? readableLine : jsonLine;
    return (event: string, fields: Fields = {}) => write(format(level, event, inTrace(fields)));
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A line of a request, or of a job, says of which trace it is; the names are those of OpenTelemetry's log data model. */
function inTrace(fields: Fields): Fields {
  const span = currentSpan();
  if (!span) return fields;
  const { traceId: trace_id, spanId: span_id, requestId } = span;
  return { ...(requestId !== undefined && { request: requestId }), ...fields, trace_id, span_id };
}

function jsonLine(level: Level, event: string, fields: Fields): string {
  return `${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`;
}

function readableLine(level: Level, event: string, fields: Fields): string {
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${new Date().toISOString().slice(11, 19)} ${level.padEnd(5)} ${[event, ...pairs].join(' ')}\n`;
}
