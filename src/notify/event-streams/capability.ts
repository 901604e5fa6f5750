import { capability, from } from '../../capability.ts';
import { eventStreamTables } from './tables.ts';

/**
 * Events of the audit log for other systems (GATEHOUSE_EVENT_STREAMS): lines of JSON on standard output, in a file, or by syslog over TLS
 * (RFC 5424, 5425), also in the form of OCSF. docs/event-streams.md.
 */
export const eventStreams = capability('notify/event-streams', {
  jobs: [
    {
      name: 'event-streams',
      everyMs: 1000,
      runs: 'once on a machine',
      load: from(() => import('./job.ts'), 'sendEventStreams'),
    },
  ],
  tables: eventStreamTables,
});
