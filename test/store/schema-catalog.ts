import type { DatabaseSync } from 'node:sqlite';
import type { TestDatabase } from '../build/postgres.ts';

/**
 * What a database says of its own schema, a line for each thing, sorted: two databases with the same lines have the same schema, however
 * they came to it. Comments and spaces of statements do not count.
 */
export function sqliteCatalog(connection: DatabaseSync): string[] {
  const lines = connection
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ type, name, sql }) => `${type} ${name}: ${plain(String(sql))}`);
  const described = [
    "SELECT 'properties ' || name, type, wr, strict FROM pragma_table_list WHERE schema = 'main'",
    `SELECT 'column ' || t.name || '.' || c.name, c.cid, c.type, c."notnull", c.dflt_value, c.pk, c.hidden
       FROM pragma_table_list t, pragma_table_xinfo(t.name) c WHERE t.schema = 'main'`,
    `SELECT 'index of ' || t.name || ' ' || i.name, i."unique", i.origin, i.partial, c.seqno, c.cid, c.name, c."desc", c.coll, c.key
       FROM pragma_table_list t, pragma_index_list(t.name) i, pragma_index_xinfo(i.name) c WHERE t.schema = 'main'`,
    `SELECT 'foreign key of ' || t.name, f.id, f.seq, f."table", f."from", f."to", f.on_update, f.on_delete, f."match"
       FROM pragma_table_list t, pragma_foreign_key_list(t.name) f WHERE t.schema = 'main'`,
  ];
  for (const question of described) {
    for (const row of connection.prepare(question).all()) lines.push(Object.values(row).join(' '));
  }
  return lines.sort();
}

/** SQLite keeps the text of statements, and adds quotes where it renames a table. */
function plain(sql: string): string {
  return sql
    .replaceAll(/--.*$/gm, '')
    .replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\s*([(),])\s*/g, '$1')
    .trim();
}

/** Without the partitions, which depend on the day, and the names of NOT NULL constraints, which PostgreSQL has since 18. */
export async function postgresCatalog({ query }: Pick<TestDatabase, 'query'>): Promise<string[]> {
  const own = `c.relnamespace = 'public'::regnamespace AND NOT c.relispartition`;
  const described = [
    `SELECT 'relation ' || c.relname, c.relkind, c.relpersistence, c.relreplident, c.relrowsecurity, c.reloptions, am.amname,
       pg_get_partkeydef(c.oid) FROM pg_class c LEFT JOIN pg_am am ON am.oid = c.relam WHERE ${own}`,
    `SELECT 'column ' || c.relname || '.' || a.attname, a.attnum, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
       a.attgenerated, a.attstorage, a.attcompression, nullif(a.attstattarget, -1), a.attoptions, l.collname, pg_get_expr(d.adbin, d.adrelid)
       FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p')
         LEFT JOIN pg_collation l ON l.oid = a.attcollation LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
       WHERE ${own} AND a.attnum > 0`,
    `SELECT 'constraint of ' || c.relname || ' ' || k.conname, k.contype, k.convalidated, k.condeferrable, pg_get_constraintdef(k.oid)
       FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid WHERE ${own} AND k.contype <> 'n'`,
    `SELECT 'index ' || c.relname, i.indisvalid, i.indisready, i.indisclustered, pg_get_indexdef(i.indexrelid)
       FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE ${own}`,
    `SELECT 'trigger ' || t.tgname, t.tgenabled, pg_get_triggerdef(t.oid)
       FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE ${own} AND NOT t.tgisinternal`,
    `SELECT 'function ' || p.proname, regexp_replace(pg_get_functiondef(p.oid), '\\s+', ' ', 'g')
       FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f'`,
    `SELECT 'sequence ' || c.relname, format_type(s.seqtypid, NULL), s.seqstart, s.seqincrement, s.seqmax, s.seqmin, s.seqcache, s.seqcycle
       FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid WHERE ${own}`,
    `SELECT 'view ' || viewname, definition FROM pg_views WHERE schemaname = 'public'`,
    `SELECT 'type ' || t.typname FROM pg_type t WHERE t.typnamespace = 'public'::regnamespace AND t.typtype IN ('e', 'd')`,
    `SELECT 'extension ' || extname FROM pg_extension`,
  ];
  const lines: string[] = [];
  for (const question of described) {
    for (const row of await query(question)) lines.push(Object.values(row).join(' '));
  }
  return lines.sort();
}
