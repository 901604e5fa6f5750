import type { Placement, Placements } from './citus/placement.ts';
import type { StorePart } from './late-part.ts';

/**
 * A table of the store, as tables.ts of its capability declares it. The files of schema/ say what its columns are and what it is for, and
 * create it; a table that they do not have is created by its declaration.
 */
export type Table = TableOfStore & ({ readonly copy: Copied } | { readonly notCopied: string });

interface TableOfStore {
  readonly name: string;
  /** Where the other store has no such table. */
  readonly only?: 'sqlite' | 'postgres';
  readonly placement: Placement;
  /** Which of its rows are deleted, and when. Undefined: those that an operation deletes. */
  readonly purge?: Purge | PurgedWith;
  /** The statements for a store in which it is missing. */
  readonly create?: { readonly sqlite: string; readonly postgres: string };
}

/** Rows that ended at `ended` are deleted after so many seconds. On PostgreSQL partitions are dropped instead where the table has them. */
export interface Purge {
  readonly key: string;
  readonly ended: string;
  readonly afterSeconds?: number;
  /** `ended` is the key, which begins with the time of its end. */
  readonly isEndInKey?: boolean;
}

/** Its rows go with those of another table that have the same value in this column. */
export interface PurgedWith {
  readonly with: string;
  readonly by: string;
}

export type ColumnKind = 'text' | 'integer' | 'boolean' | 'bytes';

/** How `gatehouse copy` reads and writes it. */
export interface Copied {
  readonly columns: readonly { readonly name: string; readonly kind: ColumnKind }[];
  /** Rows are read in the order of these columns, compared byte by byte, whatever the collation of the database. */
  readonly key: readonly string[];
}

export interface CopyTable extends Copied {
  readonly name: string;
}

export interface PurgedTable {
  readonly name: string;
  readonly only?: 'sqlite' | 'postgres' | undefined;
  readonly purge: Purge | PurgedWith;
}

export interface FurtherTable {
  readonly name: string;
  readonly create: { readonly sqlite: string; readonly postgres: string };
}

/** The tables of all capabilities, each list in its order, and their parts of the store. assembly/store-tables.ts makes it. */
export interface StoreTables {
  readonly purged: readonly PurgedTable[];
  /** A table comes after those that it refers to. */
  readonly copied: readonly CopyTable[];
  /** By name. A table comes after the one that it is placed with. */
  readonly placements: Placements;
  /** Those that the files of schema/ do not have. */
  readonly further: readonly FurtherTable[];
  readonly parts: readonly StorePart[];
}

type Declared = Omit<TableOfStore, 'name' | 'placement'> & { readonly placement?: Placement } & (
    | { readonly copy: Copied }
    | { readonly notCopied: string }
  );

/** On the coordinator of a cluster, unless it says otherwise. */
export function table(name: string, declared: Declared): Table {
  return { placement: 'coordinator', ...declared, name };
}

const kinds: Readonly<Record<string, ColumnKind>> = { i: 'integer', b: 'boolean', x: 'bytes' };

/** Columns by name; `:i`, `:b` and `:x` mark integers, booleans and bytes, all others are text. */
export function copied(key: string, columns: string): Copied {
  return {
    key: key.split(' '),
    columns: columns.split(' ').map(column => {
      const [name = '', kind = ''] = column.split(':');
      return { name, kind: kinds[kind] ?? 'text' };
    }),
  };
}
