import type { Event } from '../../audit/events/rules.ts';
import { ocsfEvent } from './ocsf.rules.ts';

/** Of a line, and so of a syslog message: receivers should take so much (RFC 5425 section 4.3.1). */
const MAX_LINE_BYTES = 8192 - 512;

/** One event as one line of ASCII, without its end. */
export function eventLine(format: 'json' | 'ocsf', seq: number, event: Event, version: string): string {
  const shaped = format === 'json' ? jsonEvent(seq, event) : ocsfEvent(seq, event, version);
  const line = ascii(JSON.stringify(shaped));
  if (line.length <= MAX_LINE_BYTES) return line;
  // Both are of any length. The rest is found at the API by the id of the event.
  const { details: _, userAgent: __, ...rest } = event;
  return eventLine(format, seq, { ...rest, details: { truncated: true } }, version);
}

/** The fields of docs/events.md, and the number in the chain: a gap shows that something is missing. */
function jsonEvent(seq: number, event: Event) {
  const { id, time, type, outcome, actor, subject, app, clientId, address, userAgent, requestId, details } = event;
  return {
    ...{ seq, id, time: new Date(time * 1000).toISOString(), type, outcome, actor, subject, application: app },
    ...{ client: clientId, address, user_agent: userAgent, request_id: requestId, details },
  };
}

/** A message of ASCII needs no byte order mark in syslog (RFC 5424 section 6.4), and every reader of JSON takes the escapes. */
function ascii(text: string): string {
  return text.replace(/[\u007f-\uffff]/g, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
