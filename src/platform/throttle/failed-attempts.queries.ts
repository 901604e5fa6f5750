import { listed, perStore, type Query, sql } from '../store/sql.ts';
import type { ColdDatabase } from '../store/steps.ts';
import type { AttemptBucket, FailedAttempts } from './failed-attempts.ts';

export function coldFailedAttempts(db: ColdDatabase): FailedAttempts {
  const fullAtOf = async (key: string) =>
    (await db.read(sql`SELECT full_at FROM failed_attempts WHERE key = ${key}`))[0]?.full_at as number | undefined;
  return {
    failedAttempts: async ({ loginName, ofUser, others }) => {
      // Each key is looked up on its own: a join may read the whole table where its statistics are old.
      const rows = await db.read(
        sql`SELECT n.sub || listed.value AS key, ${fullAt(sql`n.sub || listed.value`)} AS full_at
          FROM login_names n CROSS JOIN ${listed(ofUser)} WHERE n.login_name = ${loginName ?? ''}
          UNION ALL SELECT listed.value, ${fullAt(sql`listed.value`)} FROM ${listed(others)}`,
      );
      const counted = rows.filter(row => row.full_at !== null);
      return new Map(counted.map(row => [row.key as string, Number(row.full_at)]));
    },
    takeAttempt: async (bucket, now) => {
      const { key, attempts, refillSeconds } = bucket;
      const latest = now + (attempts - 1) * refillSeconds;
      const taken = sql`INSERT INTO failed_attempts (key, full_at) VALUES (${text(key)}, ${now + refillSeconds})
        ON CONFLICT (key) DO UPDATE SET full_at = CASE WHEN failed_attempts.full_at > ${now}
          THEN failed_attempts.full_at + ${refillSeconds} ELSE ${now + refillSeconds} END
        WHERE failed_attempts.full_at <= ${latest} RETURNING 1`;
      if ((await db.write(taken)).length === 1) return 0;
      const until = (await fullAtOf(key)) ?? now;
      // It may have been given back since. The caller was refused all the same.
      return Math.max(1, until - latest);
    },
    giveBackAttempt: async ({ key, refillSeconds }: AttemptBucket) => {
      await db.write(sql`UPDATE failed_attempts SET full_at = full_at - ${refillSeconds} WHERE key = ${text(key)}`);
    },
    resetAttempts: async key => {
      await db.write(sql`DELETE FROM failed_attempts WHERE key = ${text(key)}`);
    },
  };
}

function fullAt(key: Query): Query {
  return sql`(SELECT full_at FROM failed_attempts f WHERE f.key = ${key})`;
}

/**
 * As bytes: PostgreSQL commits many writes together, ordered by their keys, which it knows by this type
 * (platform/store/postgres/merge.ts). In another order, the groups of two nodes could deadlock.
 */
function text(key: string): Query {
  const bytes = Buffer.from(key);
  return sql`${perStore('CAST(', 'convert_from(')}${bytes}${perStore(' AS TEXT)', ", 'UTF8')")}`;
}
