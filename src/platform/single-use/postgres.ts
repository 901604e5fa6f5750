import type { Database } from '../store/postgres/database.ts';
import type { Partitions } from '../store/postgres/partitions.ts';
import { manyStatement } from '../store/postgres/statement.ts';
import type { Once } from './store.ts';

/** The second writer of a key waits for the first one's commit. It gets its row only if it is the same call, sent again. */
const USE = manyStatement(
  `WITH request AS MATERIALIZED (
     SELECT * FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS r (key, call_id, n)
   ),
   used AS (
     INSERT INTO used_ids (key, call_id) SELECT key, call_id FROM request
     ON CONFLICT (key) DO UPDATE SET call_id = excluded.call_id WHERE used_ids.call_id = excluded.call_id
     RETURNING key
   )
   SELECT r.n FROM request r JOIN used USING (key)`,
);

export function once(db: Database, partitions: Partitions): Once {
  return {
    useOnce: async (key, callId) => {
      const operation = db.operation();
      const rows = await partitions.writing(operation, [['used_ids', key]], () => operation.write(USE, [key, callId]));
      return rows.length === 1;
    },
  };
}
