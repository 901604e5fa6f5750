/**
 * Loaded into each file of tests. A test that fails halfway may leave a server or a process behind, and node:test waits for the file
 * without end, whatever its time limit says. So the file ends some time after its last test, and fails.
 */
import { after } from 'node:test';

/** Long enough for whatever the file closes after its tests. */
const FILE_END_TIMEOUT_MS = Number(process.env.TEST_FILE_END_MS ?? 60_000);

// The process that starts the files loads it too, and has no tests.
if (process.env.NODE_TEST_CONTEXT !== undefined) after(() => void setTimeout(failFile, FILE_END_TIMEOUT_MS).unref());

function failFile(): void {
  const left = process.getActiveResourcesInfo().filter(kind => kind !== 'PipeWrap');
  process.stderr.write(`The tests are over, and this file does not end. It has left open: ${left.join(', ')}\n`);
  process.exit(1);
}
