import type { Event } from '../../protocol/event.ts';
import { type Query, sql } from './sql.ts';

/** The step that writes an event, in the transaction of its act. It is sealed into the chain later. */
export function recordEvent(event: Event): Query {
  const { id, time, type, outcome, actor, subject, app, clientId, address, userAgent, requestId, details } = event;
  return sql`INSERT INTO events (id, time, type, outcome, actor_kind, actor, subject, app, client_id, address, user_agent,
      request_id, details)
    VALUES (${id}, ${time}, ${type}, ${outcome}, ${actor.kind}, ${actor.id ?? null}, ${subject ?? null}, ${app ?? null},
      ${clientId ?? null}, ${address ?? null}, ${userAgent ?? null}, ${requestId ?? null},
      ${details === undefined ? null : JSON.stringify(details)})`;
}
