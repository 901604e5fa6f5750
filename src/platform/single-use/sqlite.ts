import type { Database } from '../store/sqlite/database.ts';
import type { Once } from './store.ts';

/** No statement is repeated here, so that nothing tells calls apart: the first one writes the row. */
export function once(db: Database): Once {
  const use = db.prepare('INSERT INTO used_ids (key) VALUES (?) ON CONFLICT DO NOTHING');
  return { useOnce: key => db.write(() => Number(use.run(key).changes) === 1) };
}
