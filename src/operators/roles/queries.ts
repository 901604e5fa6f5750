import { actOnce } from '../../audit/acts/queries.ts';
import type { Row } from '../../platform/store/row.ts';
import { BYTEWISE, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, type Steps } from '../../platform/store/steps.ts';
import { ownerNames, refuseLastOwner, unlessLastOwner } from './last-owner.queries.ts';
import {
  type ApiKey,
  isOwner,
  type NewApiKey,
  type Operator,
  type OperatorFacts,
  type Operators,
  type OperatorWrite,
  type Role,
} from './store.ts';

const KEY_COLUMNS = sql`id, name, role, applications, created_at, expires_at, last_used_at`;
const OPERATORS = sql`SELECT operators.sub, role, applications, operators.created_at, username, disabled
  FROM operators JOIN users ON users.sub = operators.sub`;

export function coldOperators(db: ColdDatabase): Operators {
  return {
    findApiKey: async (hash, now) => {
      const found = sql`SELECT ${KEY_COLUMNS} FROM api_keys
        WHERE key_hash = ${hash} AND (expires_at IS NULL OR expires_at > ${now})`;
      const [row] = await db.read(found);
      return row && toApiKey(row);
    },
    noteApiKeyUse: async (id, now) => {
      await db.write(sql`UPDATE api_keys SET last_used_at = ${now} WHERE id = ${id}`);
    },
    listApiKeys: async ({ after, limit }) => {
      const page = sql`SELECT ${KEY_COLUMNS} FROM api_keys WHERE id > ${after ?? ''} ORDER BY id LIMIT ${limit}`;
      return (await db.read(page)).map(toApiKey);
    },
    changeApiKey: (id, decide) =>
      actOnce(db, {
        lock: db.own.lockRegistry,
        *work() {
          const [row] = yield* rowsOf(sql`SELECT ${KEY_COLUMNS} FROM api_keys WHERE id = ${id}`);
          const { result, write } = decide(row && toApiKey(row));
          if (write)
            yield* rowsOf(write.value ? insertApiKey(write.value) : sql`DELETE FROM api_keys WHERE id = ${id}`);
          return { result, act: write?.act };
        },
      }),
    findOperator: async sub => {
      const [row] = await db.read(sql`${OPERATORS} WHERE operators.sub = ${sub}`);
      return row && toOperator(row);
    },
    listOperators: async ({ after, limit }) => {
      const page = sql`${OPERATORS} WHERE operators.sub ${BYTEWISE} > ${after ?? ''}
        ORDER BY operators.sub ${BYTEWISE} LIMIT ${limit}`;
      return (await db.read(page)).map(toOperator);
    },
    changeOperator: (sub, decide) =>
      unlessLastOwner(
        actOnce(db, {
          lock: db.own.lockRegistry,
          *work() {
            const { result, write } = decide(yield* operatorFacts(sub));
            if (write) yield* writeOperator(sub, write.value);
            return { result, act: write?.act };
          },
        }),
      ),
  };
}

function* operatorFacts(sub: string): Steps<OperatorFacts> {
  const [user] = yield* rowsOf(sql`SELECT username FROM users WHERE sub = ${sub}`);
  const [row] = yield* rowsOf(sql`${OPERATORS} WHERE operators.sub = ${sub}`);
  return {
    current: row && toOperator(row),
    username: user?.username as string | undefined,
    hasOwner: (yield* ownerNames()).size > 0,
  };
}

function* writeOperator(sub: string, value: OperatorWrite | null): Steps<void> {
  if (!value || !isOwner(value)) yield* refuseLastOwner([sub]);
  yield* rowsOf(value ? putOperator(sub, value) : sql`DELETE FROM operators WHERE sub = ${sub}`);
}

function insertApiKey({ id, name, hash, role, applications, createdAt, expiresAt }: NewApiKey): Query {
  return sql`INSERT INTO api_keys (id, name, key_hash, role, applications, created_at, expires_at)
    VALUES (${id}, ${name}, ${hash}, ${role}, ${fromApplications(applications)}, ${createdAt}, ${expiresAt ?? null})`;
}

function putOperator(sub: string, { role, applications, createdAt }: OperatorWrite) {
  return sql`INSERT INTO operators (sub, role, applications, created_at)
    VALUES (${sub}, ${role}, ${fromApplications(applications)}, ${createdAt})
    ON CONFLICT (sub) DO UPDATE SET role = excluded.role, applications = excluded.applications`;
}

function toApiKey(row: Row): ApiKey {
  return {
    id: row.id as string,
    name: row.name as string,
    role: row.role as Role,
    applications: toApplications(row.applications),
    createdAt: row.created_at as number,
    expiresAt: (row.expires_at as number | null) ?? undefined,
    lastUsedAt: (row.last_used_at as number | null) ?? undefined,
  };
}

function toOperator(row: Row): Operator {
  return {
    sub: row.sub as string,
    username: row.username as string,
    disabled: Boolean(row.disabled),
    role: row.role as Role,
    applications: toApplications(row.applications),
    createdAt: row.created_at as number,
  };
}

function toApplications(value: Row[string] | undefined): readonly string[] | undefined {
  return typeof value === 'string' ? JSON.parse(value) : undefined;
}

function fromApplications(applications: readonly string[] | undefined): string | null {
  return applications === undefined ? null : JSON.stringify(applications);
}
