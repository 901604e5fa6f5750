import type { Statement } from '../postgres/statement.ts';
import type { Placement, Placements } from './placement.ts';

/**
 * Which servers of a cluster a statement needs: the coordinator alone, the worker that has the part of an application in the value with
 * this index, or all workers.
 */
export type Reach = 'coordinator' | 'everywhere' | { readonly partIn: number };

const LOCKS_ROWS = /\bFOR (?:NO KEY UPDATE|UPDATE|KEY SHARE|SHARE)\b/;
/** With all parts of an application (parts.ts). */
const OF_ALL_PARTS = /\bsplit_part\((?:\w+\.)?app\b/;

/** Told by the tables that the text of a statement names, so that no statement has to say it. */
export function reachIn(placements: Placements): (statement: Statement) => Reach {
  const distributed = tablesThat(placements, placement => typeof placement === 'object');
  const reference = tablesThat(placements, placement => placement === 'reference');
  const usesDistributed = new RegExp(`\\b(?:FROM|JOIN|INTO|UPDATE) (?:${distributed})\\b`);
  /** A reference table is written, and its rows are locked, on every node. */
  const writesReference = new RegExp(`\\b(?:INTO|UPDATE|DELETE FROM) (?:${reference})\\b`);
  const readsReference = new RegExp(`\\b(?:FROM|JOIN) (?:${reference})\\b`);
  /** The application is a value of the statement, as a key or in a new row. */
  const ofPart = new RegExp(
    `\\bapp = \\$(\\d+)|INTO (?:${distributed}) \\(app,[^)]*\\) (?:SELECT|VALUES \\() ?\\$(\\d+)`,
  );
  const reachOfText = ({ text, many }: Statement): Reach => {
    if (many === 'of one part') return { partIn: 0 };
    const words = text.replaceAll(/\s+/g, ' ');
    if (writesReference.test(words) || (LOCKS_ROWS.test(words) && readsReference.test(words))) return 'everywhere';
    if (!usesDistributed.test(words)) return 'coordinator';
    const [, key, inserted] = OF_ALL_PARTS.test(words) ? [] : (ofPart.exec(words) ?? []);
    const parameter = key ?? inserted;
    return parameter === undefined ? 'everywhere' : { partIn: Number(parameter) - 1 };
  };
  const known = new WeakMap<Statement, Reach>();
  return statement => {
    const present = known.get(statement);
    if (present !== undefined) return present;
    const reach = reachOfText(statement);
    known.set(statement, reach);
    return reach;
  };
}

function tablesThat(placements: Placements, matches: (placement: Placement) => boolean): string {
  return Object.entries(placements)
    .filter(([, placement]) => matches(placement))
    .map(([table]) => table)
    .join('|');
}
