import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import { secretFileOf } from '../keys/secret-file.ts';
import type { Log } from '../observe/log.ts';

/**
 * Warns of files of the embedded store that others on the machine can read or write: the database has the hashes of
 * passwords, the secret opens the signing keys. Nothing is changed: whoever set the mode, or shares the folder, may want it.
 */
export function warnOfFileModes({ database, secrets }: Config, log: Log): void {
  // Windows has no such modes.
  if (database.kind !== 'sqlite' || process.platform === 'win32') return;
  const { path } = database;
  const files = [path, `${path}-wal`, `${path}-shm`, ...(secrets ? [] : [secretFileOf(path)])];
  const wanted: [string, number][] = [[dirname(path), 0o700], ...files.map(file => [file, 0o600] as [string, number])];
  for (const [file, mode] of wanted) {
    const present = modeOf(file);
    if (present === undefined || (present & 0o077) === 0) continue;
    log.warn('file.mode', { file, mode: octal(present), repair: `chmod ${octal(mode)} ${quoted(file)}` });
  }
}

function modeOf(file: string): number | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && found.mode & 0o777;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

/** For a shell. */
function quoted(file: string): string {
  return /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}
