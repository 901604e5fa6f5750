import type { EventType } from '../../events.ts';
import { RolledBack } from '../../platform/store/faults.ts';
import { optional, type Row } from '../../platform/store/row.ts';
import { among, FOR_UPDATE, listed, perStore, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import { EVENT_COLUMNS, eventCells, eventJson } from './cells.store.ts';
import type { ActorKind, Event, EventOutcome } from './rules.ts';
import type { ChainHead, ChainState, EventFilter, Events, NextSeals, SealedEvent, UnsealedEvent } from './store.ts';

/** The step that writes an event, in the transaction of its act. It is sealed into the chain later. */
export function recordEvent(event: Event): Query {
  const [first, ...rest] = eventCells(event).map(cell => sql`${cell}`);
  const values = rest.reduce<Query>((before, cell) => sql`${before}, ${cell}`, first ?? sql``);
  return sql`INSERT INTO events (${COLUMNS}) VALUES (${values}) ON CONFLICT (id) DO NOTHING`;
}

/** The same for many, with one statement. */
export function recordEvents(events: readonly Event[]): Query {
  return sql`INSERT INTO events (${COLUMNS}) SELECT ${CELLS_OF_JSON} FROM ${listed(events.map(eventJson))} WHERE true
    ON CONFLICT (id) DO NOTHING`;
}

const NAMES = EVENT_COLUMNS.split(', ');
const CELLS_OF_JSON = perStore(
  NAMES.map(name => `value ->> '${name}'`).join(', '),
  NAMES.map(name => `(value::json ->> '${name}')${name === 'time' ? '::bigint' : ''}`).join(', '),
);

const COLUMNS = perStore(EVENT_COLUMNS, EVENT_COLUMNS);
const HEAD = sql`SELECT last_seq, last_hash, pruned_seq, pruned_hash, mac FROM event_chain WHERE id = 1`;

export function coldEvents(db: ColdDatabase): Events {
  return {
    recordEvents: async events => {
      await db.transaction(() => runAll(events.map(recordEvent)));
    },
    listEvents: async (filter, { after, limit }) => {
      const id = orderOf(filter);
      const older = after === undefined ? sql`` : sql`AND ${id} < ${after}`;
      const page = sql`SELECT ${COLUMNS} FROM events WHERE true ${older} ${conditions(filter, id)} ORDER BY ${id} DESC LIMIT ${limit}`;
      return (await db.read(page)).map(toEvent);
    },
    chainState: async () => toChainState((await db.read(STATE))[0]),
    sealedEvents: async (afterSeq, limit) => (await db.read(sealedAfter(afterSeq, limit))).map(toSealedEvent),
    sealEvents: (limit, seal) =>
      unlessMoved(
        db.transaction(function* () {
          yield* rowsOf(sql`${HEAD} ${FOR_UPDATE}`);
          // The state first: where there is no head to lock, another node may seal now, and writeHead notices that the state is old.
          const [state] = yield* rowsOf(STATE);
          const unsealed = yield* rowsOf(
            sql`SELECT ${COLUMNS} FROM events WHERE seq IS NULL ORDER BY id LIMIT ${limit}`,
          );
          const next = seal(toChainState(state), unsealed.map(toUnsealedEvent));
          if (next) yield* writeSeals(next);
          return next?.seals.length ?? 0;
        }),
      ),
    pruneEvents: (before, limit, prune) =>
      unlessMoved(
        db.transaction(function* () {
          const [row] = yield* rowsOf(sql`${HEAD} ${FOR_UPDATE}`);
          if (!row) return 0;
          const head = toHead(row);
          const first = (yield* rowsOf(sealedAfter(head.prunedSeq, limit))).map(toSealedEvent);
          const kept = first.findIndex(({ time }) => time >= before);
          const ended = kept < 0 ? first : first.slice(0, kept);
          const next = ended.length === 0 ? undefined : prune(head, ended);
          if (!next) return 0;
          yield* writeHead(next, head.lastSeq);
          yield* rowsOf(sql`DELETE FROM events WHERE seq > ${head.prunedSeq} AND seq <= ${next.prunedSeq}`);
          return ended.length;
        }),
      ),
  };
}

/**
 * A filter by one value has an index on its column and the id. PostgreSQL plans for the average value: it would rather walk through
 * all events in the order of the primary key, which takes seconds for a client that has few. In this order, only the index has them.
 */
const IN_INDEX_OF_FILTER = sql`id ${perStore('', 'COLLATE "POSIX"')}`;

function orderOf({ types, apps, clientId, user, operator, requestId }: EventFilter): Query {
  const byOne = [clientId, user, operator, requestId].some(value => value !== undefined);
  return byOne || types?.length === 1 || apps?.length === 1 ? IN_INDEX_OF_FILTER : sql`id`;
}

/** The id begins with the time, so one index serves both (new-event.ts). */
function conditions(filter: EventFilter, id: Query): Query {
  const { from, to } = filter;
  const [first, ...others] = byValue(filter);
  const all = [
    ...(first ? [sql`AND ${first}`] : []),
    // Neither database knows how many events a value has: both would read all events of a type to find the few of a user.
    ...others.map(one => sql`AND ${NOT_BY_INDEX}${one}`),
    from === undefined ? sql`` : sql`AND ${id} >= ${idPrefix(from)}`,
    to === undefined ? sql`` : sql`AND ${id} < ${idPrefix(to)}`,
  ];
  return all.reduce((before, one) => sql`${before} ${one}`, sql``);
}

/** Before a column: its value is compared, and no index on it is used. */
const NOT_BY_INDEX = perStore('+', "'' || ");

/** The filter that finds the fewest events comes first. */
function byValue({ types, apps, clientId, user, operator, requestId }: EventFilter): readonly Query[] {
  const all = [
    requestId !== undefined && sql`request_id = ${requestId}`,
    user !== undefined && sql`subject = ${user}`,
    operator !== undefined && sql`actor = ${operator} AND actor_kind = 'operator'`,
    clientId !== undefined && sql`client_id = ${clientId}`,
    types && sql`type ${oneOf(types)}`,
    apps && sql`app ${oneOf(apps)}`,
  ];
  return all.filter(one => one !== false && one !== undefined);
}

/** With one value, the index on this column and the id has the events in the order of the list. */
function oneOf(values: readonly string[]): Query {
  const [only] = values;
  return values.length === 1 && only !== undefined ? sql`= ${only}` : sql`${among(values)}`;
}

function idPrefix(time: number): string {
  return `evt_${Math.max(0, Math.floor(time)).toString(16).padStart(8, '0')}`;
}

/** One statement, so that it sees one moment of the chain. */
const STATE = sql`SELECT chain.last_seq, chain.last_hash, chain.pruned_seq, chain.pruned_hash, chain.mac,
    (SELECT min(seq) FROM events WHERE seq IS NOT NULL) AS min_seq,
    (SELECT max(seq) FROM events WHERE seq IS NOT NULL) AS max_seq,
    unsealed.id AS unsealed_id, unsealed.time AS unsealed_time
  FROM (SELECT 1 AS one) AS moment
    LEFT JOIN (${HEAD}) AS chain ON true
    LEFT JOIN (SELECT id, time FROM events WHERE seq IS NULL ORDER BY id LIMIT 1) AS unsealed ON true`;

function sealedAfter(seq: number, limit: number): Query {
  return sql`SELECT ${COLUMNS}, seq, hash FROM events WHERE seq > ${seq} ORDER BY seq LIMIT ${limit}`;
}

function* writeSeals({ seals, head }: NextSeals): Steps<void> {
  yield* writeHead(head, head.lastSeq - seals.length);
  const sealed = yield* runAll(
    seals.map(
      ({ id, seq, hash }) =>
        sql`UPDATE events SET seq = ${seq}, hash = ${hash} WHERE id = ${id} AND seq IS NULL RETURNING 1`,
    ),
  );
  if (sealed.some(rows => rows.length === 0)) throw new ChainMoved();
}

/** Rolls back the transaction: another node has sealed meanwhile, before there was a head to lock. */
class ChainMoved extends RolledBack {
  constructor() {
    super('another node has changed the chain');
  }
}

async function unlessMoved(transaction: Promise<number>): Promise<number> {
  try {
    return await transaction;
  } catch (error) {
    if (error instanceof ChainMoved) return 0;
    throw error;
  }
}

function* writeHead({ lastSeq, lastHash, prunedSeq, prunedHash, mac }: ChainHead, fromSeq: number): Steps<void> {
  const written = yield* rowsOf(
    sql`INSERT INTO event_chain (id, last_seq, last_hash, pruned_seq, pruned_hash, mac)
      VALUES (1, ${lastSeq}, ${lastHash}, ${prunedSeq}, ${prunedHash}, ${mac})
      ON CONFLICT (id) DO UPDATE SET last_seq = excluded.last_seq, last_hash = excluded.last_hash,
        pruned_seq = excluded.pruned_seq, pruned_hash = excluded.pruned_hash, mac = excluded.mac
        WHERE event_chain.last_seq = ${fromSeq}
      RETURNING 1`,
  );
  if (written.length === 0) throw new ChainMoved();
}

function toChainState(row: Row | undefined): ChainState {
  return {
    head: row && row.last_seq !== null ? toHead(row) : undefined,
    minSeq: (row?.min_seq as number | null) ?? undefined,
    maxSeq: (row?.max_seq as number | null) ?? undefined,
    unsealed:
      row && row.unsealed_id !== null
        ? { id: row.unsealed_id as string, time: row.unsealed_time as number }
        : undefined,
  };
}

function toHead(row: Row): ChainHead {
  return {
    lastSeq: row.last_seq as number,
    lastHash: row.last_hash as Uint8Array,
    prunedSeq: row.pruned_seq as number,
    prunedHash: row.pruned_hash as Uint8Array,
    mac: row.mac as Uint8Array,
  };
}

function toUnsealedEvent(row: Row): UnsealedEvent {
  const { id, time, type, outcome, actor_kind, actor, subject, app, client_id, address } = row;
  const { user_agent, request_id, details } = row;
  const cells = [id, time, type, outcome, actor_kind, actor, subject, app, client_id, address];
  cells.push(user_agent, request_id, details);
  return { id: id as string, time: time as number, cells: cells as (string | number | null)[] };
}

function toSealedEvent(row: Row): SealedEvent {
  return { ...toUnsealedEvent(row), seq: row.seq as number, hash: row.hash as Uint8Array };
}

export function toEvent(row: Row): Event {
  const details = optional(row.details);
  return {
    id: row.id as string,
    time: row.time as number,
    type: row.type as EventType,
    outcome: row.outcome as EventOutcome,
    actor: { kind: row.actor_kind as ActorKind, id: optional(row.actor) },
    subject: optional(row.subject),
    app: optional(row.app),
    clientId: optional(row.client_id),
    address: optional(row.address),
    userAgent: optional(row.user_agent),
    requestId: optional(row.request_id),
    details: details === undefined ? undefined : JSON.parse(details),
  };
}
