/**
 * A reporter for node:test: one line for each test that failed, and for each that did not run. Empty: all is well. The spec
 * reporter tells the rest, but the log of a CI run may be cut, and then its last lines must say what failed.
 */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

export default async function* testSummary(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const reason = data.skip ?? data.todo;
    if (reason !== undefined && reason !== false) yield line('skipped', data, typeof reason === 'string' ? reason : '');
    else if (type === 'test:fail' && !isOnlyOfSubtests(data.details.error)) {
      yield line('failed ', data, messageOf(data.details.error));
    }
  }
}

function line(what: string, { name, file, line }: Place, reason: string): string {
  const place = file === undefined ? '' : `${relative('', file)}${line === undefined ? '' : `:${line}`}`;
  return `${what} ${place}  ${name}${reason === '' ? '' : `: ${reason}`}\n`;
}

interface Place {
  readonly name: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

/** A suite fails with its tests, which have lines of their own. */
function isOnlyOfSubtests(error: Error & { failureType?: string }): boolean {
  return error.failureType === 'subtestsFailed';
}

function messageOf({ message, cause }: Error): string {
  const text = cause instanceof Error ? cause.message : message;
  return text.split('\n', 1)[0] ?? '';
}
