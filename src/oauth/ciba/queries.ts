import { actOfPersonOnce } from '../../audit/acts/queries.ts';
import type { RequestedAcr } from '../../people/sign-in/acr.rules.ts';
import { optional, type Row } from '../../platform/store/row.ts';
import { type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import { type PolledTable, pollOf, writeDecision } from '../polled-grant/queries.ts';
import type { PolledState } from '../polled-grant/rules.ts';
import { toResources } from '../token/resource-cells.store.ts';
import { fromClaims, toClaims } from '../token/rows.store.ts';
import { grantedScope } from '../token/scope.rules.ts';
import { judgeReach, MAX_WAITING_OF_CLIENT, type Reach, type RecentRequest, WINDOW_SECONDS } from './rules.ts';
import type { BackchannelRequest, BackchannelRequests, NewBackchannelRequest } from './store.ts';

export const BACKCHANNEL: PolledTable = {
  name: 'backchannel_requests',
  key: 'request_hash',
  claims: sql`backchannel_requests.claims`,
};

const COLUMNS = sql`id, app, client_id, sub, scope, resources, claims, acr, binding_message, created_at, expires_at, state`;

/** Without what a token request writes. */
export function coldBackchannelRequests(db: ColdDatabase): BackchannelRequests {
  return {
    openBackchannelRequest: (app, request) =>
      actOfPersonOnce<void, Reach>(db, {
        // Others that open a request to this person wait.
        lock: () => db.own.lockUsers([request.sub]),
        *work() {
          const reach = yield* reachOf(app, request);
          if (reach.kind !== 'reaches') return { result: reach, act: undefined };
          yield* runAll([insertion(app, request), ...pingOf(app, request)]);
          const { event, mail } = request;
          return { result: reach, act: { event, mail: reach.mails ? mail : undefined } };
        },
      }),
    findBackchannelRequest: async (id, sub) => {
      const [row] = await db.read(sql`SELECT ${COLUMNS} FROM backchannel_requests WHERE ${one(id, sub)}`);
      return row && toRequest(row);
    },
    backchannelRequestsOf: async (sub, now) => {
      const rows = await db.read(
        sql`SELECT ${COLUMNS} FROM backchannel_requests
          WHERE sub = ${sub} AND state = 'pending' AND expires_at > ${now} ORDER BY created_at DESC, id DESC`,
      );
      return rows.map(toRequest);
    },
    decideBackchannelRequest: (id, sub, decision, now) => {
      const waiting = { name: BACKCHANNEL.name, row: one(id, sub) };
      return db.transaction(function* () {
        const outcome = yield* writeDecision(db.own, waiting, decision, now);
        if (outcome.kind === 'done') yield* rowsOf(sql`UPDATE backchannel_pings SET due_at = ${now} WHERE id = ${id}`);
        return outcome;
      });
    },
    pollBackchannelRequest: pollOf(db, BACKCHANNEL),
  };
}

/** What waits for a person in the name of this client is over. */
export function denyWaiting(app: string, clientId: string): Query {
  return sql`UPDATE backchannel_requests SET state = 'denied'
    WHERE app = ${app} AND client_id = ${clientId} AND state = 'pending'`;
}

function one(id: string, sub: string): Query {
  return sql`id = ${id} AND sub = ${sub}`;
}

function* reachOf(app: string, { sub, clientId, createdAt: now }: NewBackchannelRequest): Steps<Reach> {
  const person = yield* rowsOf(sql`SELECT 1 FROM users WHERE sub = ${sub} AND NOT disabled`);
  if (person.length === 0) return { kind: 'nobody' };
  const recent = yield* rowsOf(
    sql`SELECT app, client_id, created_at, expires_at, state FROM backchannel_requests
      WHERE sub = ${sub} AND created_at > ${now - WINDOW_SECONDS}`,
  );
  const reach = judgeReach(recent.map(toRecent), { app, clientId }, now);
  if (reach.kind === 'tooMany') return reach;
  const waiting = yield* rowsOf(
    sql`SELECT count(*) AS waiting, min(expires_at) AS first FROM
        (SELECT expires_at FROM backchannel_requests
          WHERE app = ${app} AND client_id = ${clientId} AND state = 'pending' AND expires_at > ${now}
          LIMIT ${MAX_WAITING_OF_CLIENT}) AS waiting_ones`,
  );
  const isFull = Number(waiting[0]?.waiting) >= MAX_WAITING_OF_CLIENT;
  return isFull ? { kind: 'tooMany', wait: Math.max(1, Number(waiting[0]?.first) - now) } : reach;
}

function toRecent(row: Row): RecentRequest {
  return {
    app: row.app as string,
    clientId: row.client_id as string,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    isPending: row.state === 'pending',
    isApproved: row.state === 'approved' || row.state === 'redeemed',
  };
}

function insertion(app: string, request: NewBackchannelRequest): Query {
  const { requestHash, id, clientId, sub, scope, resources, acr, bindingMessage, createdAt, expiresAt } = request;
  return sql`INSERT INTO backchannel_requests (request_hash, id, app, client_id, sub, scope, resources, claims, acr,
      binding_message, created_at, expires_at, state, poll_interval)
    VALUES (${requestHash}, ${id}, ${app}, ${clientId}, ${sub}, ${scope.join(' ')}, ${resources?.join(' ') ?? null},
      ${fromClaims(request.claims)}, ${acr ? JSON.stringify(acr) : null}, ${bindingMessage ?? null}, ${createdAt},
      ${expiresAt}, 'pending', ${request.interval})`;
}

function pingOf(app: string, { id, clientId, ping, expiresAt }: NewBackchannelRequest): Query[] {
  if (!ping) return [];
  return [
    sql`INSERT INTO backchannel_pings (id, app, client_id, sealed, attempts, expires_at)
      VALUES (${id}, ${app}, ${clientId}, ${ping}, 0, ${expiresAt})`,
  ];
}

function toRequest(row: Row): BackchannelRequest {
  return {
    id: row.id as string,
    app: row.app as string,
    clientId: row.client_id as string,
    sub: row.sub as string,
    scope: grantedScope(row.scope as string),
    resources: toResources(row).resources?.map(({ identifier }) => identifier),
    claims: toClaims(row.claims),
    acr: row.acr === null ? undefined : (JSON.parse(row.acr as string) as RequestedAcr),
    bindingMessage: optional(row.binding_message),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    state: row.state as PolledState,
  };
}
