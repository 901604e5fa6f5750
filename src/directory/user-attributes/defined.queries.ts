import { RolledBack } from '../../platform/store/faults.ts';
import { among, sql } from '../../platform/store/sql.ts';
import { rowsOf, type Steps } from '../../platform/store/steps.ts';
import type { AttributeGone } from './rules.ts';

/**
 * An import or an apply file takes longer than a request: a definition that it has read may be deleted, and its values erased (job.ts), before
 * it writes. So the transaction that writes values asks once more.
 */

/** Rolls back the transaction; `unlessAttributeGone` turns it into an outcome. */
export class AttributeNotDefined extends RolledBack {
  readonly outcome: AttributeGone;
  constructor(name: string) {
    super('a value is of an attribute that is not defined any more');
    this.outcome = { kind: 'attributeGone', name };
  }
}

export async function unlessAttributeGone<T>(transaction: Promise<T>): Promise<T | AttributeGone> {
  try {
    return await transaction;
  } catch (error) {
    if (error instanceof AttributeNotDefined) return error.outcome;
    throw error;
  }
}

/** After the write, so that no deletion is between the answer and the commit for longer than requests take. */
export function* refuseUndefinedAttributes(names: readonly string[]): Steps<void> {
  const [gone] = yield* undefinedAmong(names);
  if (gone !== undefined) throw new AttributeNotDefined(gone);
}

export function* undefinedAmong(names: readonly string[]): Steps<ReadonlySet<string>> {
  const left = new Set(names);
  if (left.size === 0) return left;
  const defined = sql`SELECT name FROM user_attributes WHERE deleted_at IS NULL AND name ${among([...left])}`;
  for (const { name } of yield* rowsOf(defined)) left.delete(name as string);
  return left;
}
