import { DatabaseSync } from 'node:sqlite';

/** One read transaction, whatever is written meanwhile; in WAL mode it keeps no writer waiting. */
export function copyTo(file: string, path: string): void {
  using source = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  source.prepare('VACUUM INTO ?').run(file);
  using copy = new DatabaseSync(file, { readOnly: true });
  const [{ quick_check: found } = {}] = copy.prepare('PRAGMA quick_check(1)').all();
  if (found !== 'ok') throw new Error(`the copy is damaged, and so may be the database: ${found}`);
}
