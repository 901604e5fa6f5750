/** Runs one file of tests in this process, with hooks and suites of its own, and collects what became of it. */
import { relative } from 'node:path';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { spec } from 'node:test/reporters';
import { inspect } from 'node:util';
import { timeOfEndedChildren } from '../../bench/processor.ts';
import type { Failure, FileResult, Named } from './result.ts';
import { Strays } from './strays.ts';

export interface FileOrder {
  readonly file: string;
  /** Of one test. */
  readonly timeoutMs: number;
  /** Only tests whose name has this in it. */
  readonly name?: string | undefined;
  /** Prints each test as it ends. */
  readonly isVerbose: boolean;
}

type TestEnd = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>['data'];
type TestError = Error & { readonly failureType?: string };

export async function runFile({ file, timeoutMs, name, isVerbose }: FileOrder): Promise<FileResult> {
  const start = performance.now();
  const spentBefore = processorMs();
  let passed = 0;
  const failed: Failure[] = [];
  const skipped: Named[] = [];
  const events = run({
    files: [file],
    isolation: 'none',
    timeout: timeoutMs,
    ...(name !== undefined && { testNamePatterns: [name] }),
  });
  const strays = new Strays(events);
  const told = new Set<unknown>();
  events.on('test:pass', data => {
    const reason = data.skip ?? data.todo;
    if (reason !== undefined && reason !== false) skipped.push(named(data, reason === true ? '' : reason));
    else if (data.details.type !== 'suite') passed++;
  });
  events.on('test:fail', data => {
    told.add(data.details.error.cause);
    if (!isOnlyOfSubtests(data.details.error)) failed.push(failure(data));
  });
  if (isVerbose) events.compose(new spec()).pipe(process.stdout, { end: false });
  const left = await Promise.race([finished(events.resume()), idleAfterTests(events)]);
  if (left) failed.push(left);
  failed.push(...strays.close(told));
  const spent = { ms: performance.now() - start, processorMs: processorMs() - spentBefore };
  return { file: relative('', file), passed, failed, skipped, ...spent };
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + (timeOfEndedChildren() ?? 0) * 1000;
}

function named({ name, line }: TestEnd, reason: string): Named {
  return { name, line, reason };
}

/** A suite fails with its tests, which are told themselves. */
function isOnlyOfSubtests({ failureType }: TestError): boolean {
  return failureType === 'subtestsFailed';
}

function failure(data: TestEnd & { readonly details: { readonly error: TestError } }): Failure {
  const { message, cause } = data.details.error;
  const reason = cause instanceof Error ? cause.message : message;
  return { ...named(data, reason.split('\n', 1)[0] ?? ''), details: inspect(cause ?? data.details.error) };
}

/** Long enough for whatever a file closes after its tests. */
const FILE_END_MS = Number(process.env.TEST_FILE_END_MS ?? 30_000);
/** Those of the process itself. */
const OWN = new Set(['PipeWrap', 'TTYWrap']);

/** node:test ends a file when nothing is left to wait for. One that leaves a server or a process behind never ends, and fails here. */
function idleAfterTests(events: ReturnType<typeof run>): Promise<Failure> {
  const running = new Set<string>();
  let since = performance.now();
  events.on('test:dequeue', test => running.add(placeOf(test)));
  events.on('test:complete', test => {
    running.delete(placeOf(test));
    since = performance.now();
  });
  return new Promise(resolve => {
    const timer = setInterval(() => {
      if (running.size > 0 || performance.now() - since < FILE_END_MS) return;
      const left = process.getActiveResourcesInfo().filter(kind => !OWN.has(kind));
      const reason = `its tests are over, and it has left open: ${left.join(', ')}`;
      resolve({ name: 'the file as a whole', line: undefined, reason, details: reason });
    }, FILE_END_MS / 10);
    events.once('end', () => clearInterval(timer));
    // Only what the file left behind keeps this process waiting.
    timer.unref();
  });
}

function placeOf({ name, line, column }: { name: string; line?: number; column?: number }): string {
  return `${line}:${column} ${name}`;
}
