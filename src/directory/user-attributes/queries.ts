import { actOnce } from '../../audit/acts/queries.ts';
import type { AlreadyAnswered, Change } from '../../audit/acts/store.ts';
import { among, BYTEWISE, FOR_UPDATE, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, type OwnSteps, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import type { StandardClaims } from '../users/standard-claims.rules.ts';
import { definitionsFrom } from './rows.store.ts';
import type { UserAttribute } from './rules.ts';

/** Those that are defined, in the order of their names. */
export async function userAttributes(db: Pick<ColdDatabase, 'read'>): Promise<readonly UserAttribute[]> {
  return (await db.read(DEFINED)).flatMap(({ definition }) => definitionsFrom(`[${definition as string}]`));
}

const DEFINED = sql`SELECT definition FROM user_attributes WHERE deleted_at IS NULL ORDER BY name ${BYTEWISE}`;

/** What a change depends on, read in its transaction. */
export interface AttributeFacts {
  readonly current: UserAttribute | undefined;
  /** It was deleted, and users still have values of it. */
  readonly isBeingDeleted: boolean;
  /** All that are defined. */
  readonly count: number;
}

export type AttributeWrite =
  | { readonly kind: 'put'; readonly attribute: UserAttribute }
  | { readonly kind: 'delete'; readonly now: number };

export function changeUserAttribute<R>(
  db: ColdDatabase,
  name: string,
  decide: (facts: AttributeFacts) => Change<AttributeWrite, R>,
): Promise<R | AlreadyAnswered> {
  return actOnce(db, {
    lock: db.own.lockRegistry,
    *work() {
      const rows = yield* rowsOf(sql`SELECT name, definition, deleted_at FROM user_attributes`);
      const found = rows.find(row => row.name === name);
      const isBeingDeleted = found !== undefined && found.deleted_at !== null;
      const [current] = found && !isBeingDeleted ? definitionsFrom(`[${found.definition as string}]`) : [];
      const count = rows.filter(row => row.deleted_at === null).length;
      const { result, write } = decide({ current, isBeingDeleted, count });
      if (write) yield* writeAttributes(db.own, [[name, write.value]]);
      return { result, act: write?.act };
    },
  });
}

/** The transaction has locked the registry. */
function* writeAttributes(own: OwnSteps, writes: readonly (readonly [string, AttributeWrite])[]): Steps<void> {
  yield* runAll(
    writes.map(([name, write]) =>
      write.kind === 'put' ? putAttribute(write.attribute) : deleteAttribute(name, write.now),
    ),
  );
  yield* own.registryChanged();
}

export function putAttribute(attribute: UserAttribute): Query {
  return sql`INSERT INTO user_attributes (name, definition) VALUES (${attribute.name}, ${JSON.stringify(attribute)})
    ON CONFLICT (name) DO UPDATE SET definition = excluded.definition WHERE user_attributes.deleted_at IS NULL`;
}

export function deleteAttribute(name: string, now: number): Query {
  return sql`UPDATE user_attributes SET deleted_at = ${now} WHERE name = ${name} AND deleted_at IS NULL`;
}

/** Those that were deleted by this time and whose values may still be there. */
export async function deletedAttributes(db: ColdDatabase, by: number): Promise<readonly string[]> {
  const deleted = sql`SELECT name FROM user_attributes WHERE deleted_at <= ${by} ORDER BY name ${BYTEWISE}`;
  return (await db.read(deleted)).map(({ name }) => name as string);
}

/** Names that cannot be defined anew yet. */
export async function namesBeingDeleted(db: ColdDatabase): Promise<readonly string[]> {
  return (await db.read(sql`SELECT name FROM user_attributes WHERE deleted_at IS NOT NULL`)).map(
    ({ name }) => name as string,
  );
}

export interface Erased {
  /** The last user that was looked at; undefined: there are no more. */
  readonly last: string | undefined;
}

/** Deletes the values of some users after this one. */
export function eraseValues(db: ColdDatabase, name: string, after: string, limit: number): Promise<Erased> {
  return db.longTransaction(function* (): Steps<Erased> {
    const rows = yield* rowsOf(sql`SELECT sub, standard_claims FROM users
      WHERE sub ${BYTEWISE} > ${after} AND standard_claims LIKE ${`%"${name.replaceAll('_', '!_')}":%`} ESCAPE '!'
      ORDER BY sub ${BYTEWISE} LIMIT ${limit} ${FOR_UPDATE}`);
    yield* runAll(
      rows.flatMap(row => {
        const kept = without(name, JSON.parse(row.standard_claims as string));
        return kept === undefined
          ? []
          : [sql`UPDATE users SET standard_claims = ${kept} WHERE sub = ${row.sub as string}`];
      }),
    );
    return { last: rows.length < limit ? undefined : (rows.at(-1)?.sub as string) };
  });
}

/** Undefined: the name is one of another claim, or part of a text. */
function without(name: string, { attributes = {}, ...claims }: StandardClaims): string | null | undefined {
  if (!Object.hasOwn(attributes, name)) return undefined;
  const { [name]: _, ...rest } = attributes;
  const kept = Object.keys(rest).length === 0 ? claims : { ...claims, attributes: rest };
  return Object.keys(kept).length === 0 ? null : JSON.stringify(kept);
}

/** After their values: the names can be defined anew. */
export async function forgetAttributes(db: ColdDatabase, names: readonly string[]): Promise<void> {
  await db.write(sql`DELETE FROM user_attributes WHERE name ${among(names)} AND deleted_at IS NOT NULL`);
}
