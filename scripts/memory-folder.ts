import { existsSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** Several times what a test run takes at a time. In a container it often has 64 MiB. */
const ENOUGH_BYTES = 2 * 2 ** 30;

/** Where data of tests are written fastest: in memory, if there is a file system for it. Programs may be forbidden to run there. */
export function memoryFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ENOUGH_BYTES && freemem() >= ENOUGH_BYTES ? MEMORY : tmpdir();
}
