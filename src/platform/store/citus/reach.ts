import type { Statement } from '../postgres/statement.ts';
import { placements } from './placement.ts';

/**
 * Which servers of a cluster a statement needs: the coordinator alone, the worker that has the part of an application in the value with
 * this index, or all workers.
 */
export type Reach = 'coordinator' | 'everywhere' | { readonly partIn: number };

const distributed = tablesThat(placement => typeof placement === 'object');
const reference = tablesThat(placement => placement === 'reference');

const USES_DISTRIBUTED = new RegExp(`\\b(?:FROM|JOIN|INTO|UPDATE) (?:${distributed})\\b`);
/** A reference table is written, and its rows are locked, on every node. */
const WRITES_REFERENCE = new RegExp(`\\b(?:INTO|UPDATE|DELETE FROM) (?:${reference})\\b`);
const READS_REFERENCE = new RegExp(`\\b(?:FROM|JOIN) (?:${reference})\\b`);
const LOCKS_ROWS = /\bFOR (?:NO KEY UPDATE|UPDATE|KEY SHARE|SHARE)\b/;
/** The application is a value of the statement, as a key or in a new row. */
const OF_PART = new RegExp(
  `\\bapp = \\$(\\d+)|INTO (?:${distributed}) \\(app,[^)]*\\) (?:SELECT|VALUES \\() ?\\$(\\d+)`,
);
/** With all parts of an application (parts.ts). */
const OF_ALL_PARTS = /\bsplit_part\((?:\w+\.)?app\b/;

const known = new WeakMap<Statement, Reach>();

/** Told by the tables that its text names, so that no statement has to say it. */
export function reachOf(statement: Statement): Reach {
  const present = known.get(statement);
  if (present !== undefined) return present;
  const reach = reachOfText(statement);
  known.set(statement, reach);
  return reach;
}

function reachOfText({ text, many }: Statement): Reach {
  if (many === 'of one part') return { partIn: 0 };
  const words = text.replaceAll(/\s+/g, ' ');
  if (WRITES_REFERENCE.test(words) || (LOCKS_ROWS.test(words) && READS_REFERENCE.test(words))) return 'everywhere';
  if (!USES_DISTRIBUTED.test(words)) return 'coordinator';
  const [, key, inserted] = OF_ALL_PARTS.test(words) ? [] : (OF_PART.exec(words) ?? []);
  const parameter = key ?? inserted;
  return parameter === undefined ? 'everywhere' : { partIn: Number(parameter) - 1 };
}

function tablesThat(matches: (placement: (typeof placements)[string]) => boolean): string {
  return Object.entries(placements)
    .filter(([, placement]) => matches(placement))
    .map(([table]) => table)
    .join('|');
}
