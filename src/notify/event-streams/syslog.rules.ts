import type { Event } from '../../audit/events/rules.ts';

/** RFC 5424: authpriv, and the severities "informational", "warning". */
const FACILITY = 10;
const SEVERITY: Readonly<Record<Event['outcome'], number>> = { success: 6, failure: 4, denied: 4 };
const MAX_HOST_LENGTH = 255;
const MAX_MSGID_LENGTH = 32;

/** One message with its length in front (RFC 5425 section 4.3). `line` is ASCII. */
export function syslogFrame(event: Pick<Event, 'time' | 'type' | 'outcome'>, line: string, host: string): string {
  const priority = FACILITY * 8 + SEVERITY[event.outcome];
  const time = new Date(event.time * 1000).toISOString().replace('.000Z', 'Z');
  const hostname = host.replace(/[^\x21-\x7e]/g, '').slice(0, MAX_HOST_LENGTH) || '-';
  const message = `<${priority}>1 ${time} ${hostname} gatehouse - ${event.type.slice(0, MAX_MSGID_LENGTH)} - ${line}`;
  return `${message.length} ${message}`;
}
