import { realpathSync } from 'node:fs';
import type { DatabaseAddress } from '../config.ts';
import { openPostgresSource, openPostgresTarget } from './postgres/transfer.ts';
import { openSqliteSource, openSqliteTarget } from './sqlite/transfer.ts';
import { type Source, type Target, TransferRefused } from './transfer.ts';

/** Both ends of a copy, which are never the same; the target with its schema up to date. */
export async function openTransfer(
  from: DatabaseAddress,
  to: DatabaseAddress,
): Promise<{ readonly source: Source; readonly target: Target }> {
  if (isSameFile(from, to)) throw new TransferRefused('the source and the target are the same file');
  const source = from.kind === 'sqlite' ? openSqliteSource(from.path) : await openPostgresSource(from);
  try {
    return { source, target: to.kind === 'sqlite' ? openSqliteTarget(to.path) : await openPostgresTarget(to) };
  } catch (error) {
    await source.close();
    throw error;
  }
}

function isSameFile(from: DatabaseAddress, to: DatabaseAddress): boolean {
  if (from.kind !== 'sqlite' || to.kind !== 'sqlite') return false;
  try {
    return realpathSync(from.path) === realpathSync(to.path);
  } catch {
    // One of them is not there yet.
    return false;
  }
}
