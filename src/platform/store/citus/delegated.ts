import { hash } from 'node:crypto';
import type { Columns, Statement } from '../postgres/statement.ts';

export interface DelegatedFunction {
  /** CREATE FUNCTION, for every node of the cluster. */
  readonly create: string;
  /** With the types of its parameters, as create_distributed_function wants it. */
  readonly signature: string;
  readonly statement: Statement;
}

export interface FunctionParts {
  readonly name: string;
  /** Of one operation. The call has an array for each. */
  readonly values: Columns;
  readonly rows: Columns;
  readonly variables: readonly string[];
  readonly body: Body;
  readonly rowMode?: 'array';
}

/** PL/pgSQL for one operation, whose values are in `r`, with its number `r.n`; or for all, whose values are in the arrays `the_…`. */
type Body = { readonly each: string } | { readonly all: string };

/** The parameter by which a call goes to the worker that has the tables of the application, or of this part of it (parts.ts). */
export const APP = 'of_app';

/** In a body for all operations: their values as rows `r`. */
export const REQUESTS = '<requests>';

/** The columns of a row or record, for a SELECT. */
export function columnsOf(row: string, columns: Columns): string {
  return Object.keys(columns)
    .map(column => `${row}.${column}`)
    .join(', ');
}

/**
 * A function that Citus runs on the worker of an application, as one command. Its statements are lookups and writes by the key of
 * one table each: for these, the worker plans once and reads its own shard. A statement with several tables would be split into
 * commands between all nodes (docs/decisions/citus.md).
 *
 * The name ends with a hash of the text, so that nodes of two releases can use one cluster.
 */
export function delegated({ name, values, rows, variables, body, rowMode }: FunctionParts): DelegatedFunction {
  const names = Object.keys(values);
  const types = ['text', ...Object.values(values).map(type => `${type}[]`)];
  const parameters = [`${APP} text`, ...names.map(each => `the_${each} ${values[each]}[]`)];
  const requests = `unnest(${names.map(each => `the_${each}`).join(', ')}) WITH ORDINALITY AS r (${names.join(', ')}, n)`;
  const statements =
    'all' in body
      ? body.all.replaceAll(REQUESTS, requests)
      : `FOR r IN SELECT * FROM ${requests} LOOP ${body.each} END LOOP;`;
  const definition = `(${parameters.join(', ')})
    RETURNS TABLE (${Object.entries(rows)
      .map(column => column.join(' '))
      .join(', ')}) LANGUAGE plpgsql AS $$
    #variable_conflict use_column
    DECLARE r record; ${variables.map(variable => `${variable};`).join(' ')}
    BEGIN ${statements} END $$`;
  const fullName = `gatehouse_${name}_${hash('sha256', definition, 'hex').slice(0, 16)}`;
  return {
    create: `CREATE FUNCTION ${fullName} ${definition}`,
    signature: `${fullName}(${types.join(', ')})`,
    statement: {
      name: fullName,
      text: `SELECT ${Object.keys(rows).join(', ')} FROM ${fullName}(${types.map((_, index) => `$${index + 1}`).join(', ')})`,
      many: 'of one part',
      ...(rowMode && { rowMode }),
    },
  };
}
