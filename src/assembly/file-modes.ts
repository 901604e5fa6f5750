import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../platform/config/config.ts';
import { secretFileOf } from '../platform/crypto/secret-file.ts';
import type { Log } from '../platform/observe/log.ts';

/**
 * Logs a warning for each file of the embedded store that other users of the machine can read or write: the database holds
 * password hashes, and the secret opens the signing keys. The mode is not changed, because the operator may have chosen it.
 */
export function warnOfFileModes({ database, secrets }: Config, log: Log): void {
  // Windows has no POSIX file modes.
  if (database.kind !== 'sqlite' || process.platform === 'win32') return;
  const { path } = database;
  const files = [path, `${path}-wal`, `${path}-shm`, ...(secrets ? [] : [secretFileOf(path)])];
  const expected: [string, number][] = [
    [dirname(path), 0o700],
    ...files.map(file => [file, 0o600] as [string, number]),
  ];
  for (const [file, expectedMode] of expected) {
    const mode = modeOf(file);
    if (mode === undefined || (mode & 0o077) === 0) continue;
    log.warn('file.mode', { file, mode: octal(mode), repair: `chmod ${octal(expectedMode)} ${shellQuoted(file)}` });
  }
}

function modeOf(file: string): number | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats && stats.mode & 0o777;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

function shellQuoted(file: string): string {
  return /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}
