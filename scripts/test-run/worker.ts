/**
 * A process of the test run. It runs the files it is told to, one after the other: a process for each would load and compile the same
 * sources hundreds of times.
 */
// Takes this process's range of ports out of the environment, before a test starts a program that would look for ports in it too.
import '../free-port.ts';
import { type FileOrder, runFile } from './run-file.ts';

process.on('message', async (order: FileOrder) => {
  // node:test ends a file when nothing keeps the process alive: the channel must not.
  process.channel?.unref();
  const result = await runFile(order);
  process.channel?.ref();
  process.send?.(result);
});
process.on('disconnect', () => process.exit());
