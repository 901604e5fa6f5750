import type { Event } from './rules.ts';

/** An event as the columns of its row, for the statements that write it with an act of their own. */
export const EVENT_COLUMNS =
  'id, time, type, outcome, actor_kind, actor, subject, app, client_id, address, user_agent, request_id, details';

type Cell = string | number | null;

/** In the order of EVENT_COLUMNS. */
export function eventCells(event: Event): Cell[] {
  return Object.values(eventRow(event));
}

/** By the names of the columns, for statements that take all of them as one value. */
export function eventJson(event: Event): string {
  return JSON.stringify(eventRow(event));
}

function eventRow({ actor, details, ...event }: Event): Record<string, Cell> {
  return {
    id: event.id,
    time: event.time,
    type: event.type,
    outcome: event.outcome,
    actor_kind: actor.kind,
    actor: actor.id ?? null,
    subject: event.subject ?? null,
    app: event.app ?? null,
    client_id: event.clientId ?? null,
    address: event.address ?? null,
    user_agent: event.userAgent ?? null,
    request_id: event.requestId ?? null,
    details: details === undefined ? null : JSON.stringify(details),
  };
}
