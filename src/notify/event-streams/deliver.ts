import { open } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { EventStream } from '../../platform/config/event-stream-settings.ts';
import { sendToSyslog } from '../../platform/outbound/syslog.ts';
import { eventLine } from './line.rules.ts';
import type { NumberedEvent } from './store.ts';
import { syslogFrame } from './syslog.rules.ts';

/** Below the lease (job.ts). */
const SYSLOG_TIMEOUT_MS = 20_000;

/** Resolves when the target has all of them. Rejects if it may not: they are sent again then. */
export async function deliverEvents(
  { destination, format }: EventStream,
  events: readonly NumberedEvent[],
  version: string,
): Promise<void> {
  const lines = events.map(({ seq, event }) => eventLine(format, seq, event, version));
  const text = () => `${lines.join('\n')}\n`;
  switch (destination.kind) {
    case 'stdout':
      return write(process.stdout, text());
    case 'file':
      return appendDurably(destination.path, text());
    case 'syslog': {
      const host = hostname();
      const frames = events.map(({ event }, index) => syslogFrame(event, lines[index] ?? '', host));
      return sendToSyslog(destination, frames.join(''), SYSLOG_TIMEOUT_MS);
    }
  }
}

function write(output: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, error => (error ? reject(error) : resolve()));
  });
}

const MODE = 0o600;
const NEWLINE = '\n'.charCodeAt(0);

/**
 * The file is opened for each batch: after a rotation that renames it, the next one is in a new file, and no signal is needed. What a
 * crash cut off in the middle of a line gets an end, and comes again as a whole.
 */
async function appendDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'a+', MODE);
  try {
    const { size } = await file.stat();
    const last = size === 0 ? undefined : (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0];
    await file.appendFile(last === undefined || last === NEWLINE ? text : `\n${text}`);
    await file.datasync();
  } finally {
    await file.close();
  }
}
