import type { CopyTable } from '../../platform/store/table.ts';
import type { CopyReader, CopyRow, CopyTarget, CopyValue } from '../copy-database/store.ts';

/**
 * Brings the rows that a target has to what the source has now, for a copy that goes on after the source has changed. Both sides are read
 * in the order of the key, side by side. Rows of the target go first, those that are referred to last: a row that has changed is removed
 * and added again, because the unique values of two rows may have changed places.
 */
export async function removeStale(source: CopyReader, target: CopyTarget, table: CopyTable): Promise<number> {
  return inWindows(source, target, table, undefined, 'stale', rows =>
    target.remove(
      table,
      rows.map(row => keyOf(table, row)),
    ),
  );
}

/** The rows of the source up to the last one of the target that the target does not have. */
export async function addMissing(source: CopyReader, target: CopyTarget, table: CopyTable): Promise<number> {
  const last = await target.lastKey(table);
  if (!last) return 0;
  return inWindows(source, target, table, last, 'missing', rows => target.add(table, rows));
}

/** So many differences are in memory. A target cannot be read and written at the same time. */
const WINDOW = 2000;

async function inWindows(
  source: CopyReader,
  target: CopyTarget,
  table: CopyTable,
  last: CopyRow | undefined,
  wanted: Found['kind'],
  act: (rows: readonly CopyRow[]) => Promise<void>,
): Promise<number> {
  let count = 0;
  for (let after: CopyRow | undefined; ; ) {
    const rows: CopyRow[] = [];
    for await (const { kind, row } of differences(source, target, table, after)) {
      if (last && compareKeys(keyOf(table, row), last) > 0) break;
      if (kind === wanted) rows.push(row);
      if (rows.length === WINDOW) break;
    }
    await act(rows);
    count += rows.length;
    const end = rows.at(-1);
    if (rows.length < WINDOW || !end) return count;
    after = keyOf(table, end);
  }
}

/** `stale`: only the target has this row, or has it with other values. `missing`: the target has no row with this key. */
interface Found {
  readonly kind: 'stale' | 'missing';
  readonly row: CopyRow;
}

async function* differences(
  source: CopyReader,
  target: CopyReader,
  table: CopyTable,
  after: CopyRow | undefined,
): AsyncGenerator<Found> {
  const [from, to] = [rowsOf(source, table, after), rowsOf(target, table, after)];
  try {
    let [wanted, present] = [await next(from), await next(to)];
    while (wanted || present) {
      const order = !wanted ? 1 : !present ? -1 : compareKeys(keyOf(table, wanted), keyOf(table, present));
      if (order < 0 && wanted) yield { kind: 'missing', row: wanted };
      if (order > 0 && present) yield { kind: 'stale', row: present };
      if (order === 0 && wanted && present && !isSameRow(wanted, present)) yield { kind: 'stale', row: present };
      if (order <= 0) wanted = await next(from);
      if (order >= 0) present = await next(to);
    }
  } finally {
    await from.return(undefined);
    await to.return(undefined);
  }
}

async function* rowsOf(reader: CopyReader, table: CopyTable, after: CopyRow | undefined): AsyncGenerator<CopyRow> {
  for await (const rows of reader.rows(table, after)) yield* rows;
}

async function next(rows: AsyncGenerator<CopyRow>): Promise<CopyRow | undefined> {
  const { done, value } = await rows.next();
  return done ? undefined : value;
}

function keyOf({ key, columns }: CopyTable, row: CopyRow): CopyRow {
  return key.map(name => row[columns.findIndex(column => column.name === name)] ?? null);
}

/** As both databases sort: numbers by value, everything else byte by byte. */
function compareKeys(one: CopyRow, other: CopyRow): number {
  for (const [index, cell] of one.entries()) {
    const order = compareCells(cell, other[index] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

function compareCells(one: CopyValue, other: CopyValue): number {
  if (typeof one === 'number' && typeof other === 'number') return Math.sign(one - other);
  return Buffer.compare(bytesOf(one), bytesOf(other));
}

function bytesOf(cell: CopyValue): Uint8Array {
  return cell instanceof Uint8Array ? cell : Buffer.from(String(cell));
}

function isSameRow(one: CopyRow, other: CopyRow): boolean {
  return one.every((cell, index) => {
    const same = other[index] ?? null;
    const isBytes = cell instanceof Uint8Array && same instanceof Uint8Array;
    return isBytes ? Buffer.compare(cell, same) === 0 : cell === same;
  });
}
