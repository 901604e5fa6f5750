import { actOnce } from '../../audit/acts/queries.ts';
import type { Event } from '../../audit/events/rules.ts';
import { clientFromRow } from '../../directory/clients/rows.store.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { denyWaiting } from '../../oauth/ciba/queries.ts';
import { among, BYTEWISE, perStore, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll } from '../../platform/store/steps.ts';
import { type Agent, type AgentOwner, isAgent } from './rules.ts';

/** The condition of the index `agents`, word by word (tables.ts). */
const IS_AGENT = perStore(
  `instr(metadata, '"client_type":"agent"') > 0`,
  `strpos(metadata, '"client_type":"agent"') > 0`,
);

/** As it was written: the owner itself, and not what another member, such as a key of the client, has by that name. */
const OWNER = perStore(`metadata ->> 'owner'`, `metadata::json ->> 'owner'`);

export interface OwnedAgent {
  readonly app: string;
  readonly agent: Client & Agent;
  /** Undefined: it may act. */
  readonly stoppedAt: number | undefined;
}

/** What another client has written into its own registration is none of these: nobody fills the list but operators. */
export async function agentsOf(db: ColdDatabase, owners: readonly AgentOwner[], limit: number): Promise<OwnedAgent[]> {
  const rows = await db.read(sql`SELECT c.app, c.client_id, secret_hash, metadata, stopped_at
    FROM clients c JOIN applications a ON a.code = c.app AND a.deleted_at IS NULL
      LEFT JOIN stopped_agents s ON s.app = c.app AND s.client_id = c.client_id
    WHERE ${IS_AGENT} AND ${OWNER} ${among(owners.map(owner => JSON.stringify(owner)))}
    ORDER BY c.app ${BYTEWISE}, c.client_id ${BYTEWISE} LIMIT ${limit}`);
  return rows.flatMap(row => {
    const agent = clientFromRow(row);
    const stoppedAt = row.stopped_at === null ? undefined : Number(row.stopped_at);
    return isAgent(agent) ? [{ app: row.app as string, agent, stoppedAt }] : [];
  });
}

export async function isStopped(db: ColdDatabase, app: string, clientId: string): Promise<boolean> {
  return (await db.read(sql`SELECT 1 FROM stopped_agents WHERE app = ${app} AND client_id = ${clientId}`)).length > 0;
}

/** Ends all that the agent holds, and what it asks people for. What is being issued to it meanwhile waits, and asks afterwards (standing.ts). */
export async function stopAgent(db: ColdDatabase, app: string, clientId: string, event: Event): Promise<void> {
  await actOnce(db, {
    lock: () => db.own.lockClient(app, clientId),
    *work() {
      const stopped = yield* rowsOf(sql`INSERT INTO stopped_agents (app, client_id, stopped_at, stopped_by)
        SELECT ${app}, ${clientId}, ${event.time}, ${event.subject ?? ''} FROM clients WHERE app = ${app} AND client_id = ${clientId}
        ON CONFLICT DO NOTHING RETURNING 1`);
      yield* db.own.endClientAccess(app, clientId, event.time);
      yield* runAll([denyWaiting(app, clientId)]);
      return { result: undefined, act: stopped.length > 0 ? { event } : undefined };
    },
  });
}

export async function startAgent(db: ColdDatabase, app: string, clientId: string, event: Event): Promise<void> {
  await actOnce(db, {
    lock: () => db.own.lockClient(app, clientId),
    *work() {
      const ofAgent = sql`DELETE FROM stopped_agents WHERE app = ${app} AND client_id = ${clientId} RETURNING 1`;
      const [started = []] = yield* runAll([ofAgent]);
      return { result: undefined, act: started.length > 0 ? { event } : undefined };
    },
  });
}
