import { realpathSync } from 'node:fs';
import type { DatabaseAddress } from '../../platform/config/database-address.ts';
import { OPEN_ATTEMPT_MS } from '../../platform/store/database-timeouts.ts';
import type { StoreTables } from '../../platform/store/table.ts';
import { untilAvailable } from '../../platform/store/until-available.ts';
import { openPostgresSource, openPostgresTarget } from './postgres.ts';
import { openSqliteSource, openSqliteTarget } from './sqlite.ts';
import { type Transfer, TransferRefused } from './store.ts';

/** Opens source and target of a copy, which must not be the same, and migrates the target. */
export async function openTransfer(
  from: DatabaseAddress,
  to: DatabaseAddress,
  tables: StoreTables,
  onWait?: (line: string) => void,
): Promise<Transfer> {
  if (isSameFile(from, to)) throw new TransferRefused('the source and the target are the same file');
  const source = await untilAvailable(onWait, async () =>
    from.kind === 'sqlite' ? openSqliteSource(from.path) : openPostgresSource(from, tables),
  );
  try {
    const target = await untilAvailable(onWait, async () =>
      to.kind === 'sqlite' ? openSqliteTarget(to.path, tables, OPEN_ATTEMPT_MS) : openPostgresTarget(to, tables),
    );
    return { source, target, tables: tables.copied };
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
    // One of the files does not exist yet.
    return false;
  }
}
