import { keyOfEnd } from '../../oauth/token/key-of-end.sqlite.ts';
import type { Store } from '../../store.ts';
import type { Database } from './sqlite/database.ts';
import type { Purge, PurgedTable, StoreTables } from './table.ts';

/** Small batches, each a commit of its own: a request never waits for more than one of them. */
export function purger(db: Database, { purged }: StoreTables): Pick<Store, 'purge' | 'lastCompletePurge'> {
  const kinds = purged.map(table => {
    const { afterSeconds = 0, isEndInKey = false } = endOf(table, purged);
    return { statement: db.prepare(deleteEnded(table, purged)), afterSeconds, isEndInKey };
  });
  const noteComplete = db.prepare('UPDATE purge_state SET completed_at = ?');
  const lastComplete = db.prepare('SELECT completed_at FROM purge_state');
  return {
    purge: async (now, limit) => {
      const counts: number[] = [];
      for (const { statement, afterSeconds, isEndInKey } of kinds) {
        const before = now - afterSeconds;
        const end = isEndInKey ? keyOfEnd(before) : before;
        counts.push(await db.write(() => Number(statement.run(end, limit).changes)));
      }
      const complete = counts.every(count => count < limit);
      if (complete) await db.write(() => noteComplete.run(now));
      return { deleted: counts.reduce((sum, count) => sum + count, 0), complete, postponed: [] };
    },
    lastCompletePurge: () => db.read(() => lastComplete.get()?.completed_at as number),
  };
}

function deleteEnded(table: PurgedTable, purged: readonly PurgedTable[]): string {
  const { name, purge } = table;
  const { key, ended } = endOf(table, purged);
  const [column, from] = 'with' in purge ? [purge.by, purge.with] : [key, name];
  return `DELETE FROM ${name} WHERE (${column}) IN (SELECT ${column} FROM ${from} WHERE ${ended} < ? ORDER BY ${ended} LIMIT ?)`;
}

/** Of its own rows, or of those that they go with. */
function endOf({ purge }: PurgedTable, purged: readonly PurgedTable[]): Purge {
  if (!('with' in purge)) return purge;
  const other = purged.find(({ name }) => name === purge.with);
  if (!other) throw new Error(`the table ${purge.with} is not purged`);
  return endOf(other, purged);
}
