import { spawnSync } from 'node:child_process';
import { chownSync, closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { identity, makeServerFolder } from '../../scripts/postgres.ts';

/** A file system of a few megabytes that the PostgreSQL of the tests may write to, and that can be filled to the last byte. */
export interface SmallDisk {
  readonly folder: string;
  fill(): void;
  /** Gives back what `fill` took. */
  free(): void;
  remove(): void;
}

export function mountSmallDisk(megabytes: number): SmallDisk {
  const folder = makeServerFolder();
  run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', folder);
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid);
  const filler = join(folder, 'filler');
  const remove = () => {
    process.off('exit', remove);
    // Also while a server that was not stopped still has files open in it.
    run('umount', '-l', folder);
    rmSync(dirname(folder), { recursive: true, force: true });
  };
  process.on('exit', remove);
  return {
    folder,
    fill: () => writeUntilFull(filler),
    free: () => rmSync(filler, { force: true }),
    remove,
  };
}

function writeUntilFull(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (let size = 1 << 20; size >= 1; size >>= 1) {
      const block = Buffer.alloc(size);
      try {
        while (writeSync(file, block) === size);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(file);
  }
}

function run(command: string, ...args: string[]): void {
  const ran = spawnSync(command, args, { encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${ran.stderr || ran.error?.message}`);
}
