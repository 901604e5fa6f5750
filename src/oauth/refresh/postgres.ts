import { actAndRecord } from '../../audit/events/postgres.ts';
import type { Profile } from '../../directory/users/claims.rules.ts';
import { toProfile } from '../../directory/users/rows.store.ts';
import { applicationOfPart, type StoredApp } from '../../platform/store/application-parts.ts';
import { partOf } from '../../platform/store/citus/parts.ts';
import { StoreUnavailable } from '../../platform/store/faults.ts';
import type { Database, Operation } from '../../platform/store/postgres/database.ts';
import type { Partitions } from '../../platform/store/postgres/partitions.ts';
import { type Statement, statement, type Value, withCitusForm } from '../../platform/store/postgres/statement.ts';
import { GRANT_SLACK_SECONDS } from '../../platform/store/retention.ts';
import type { Row } from '../../platform/store/row.ts';
import type { Replays } from '../authorization-code/replays.postgres.ts';
import { revokeFamily } from '../revoke/citus.ts';
import { callerIsClient, revokeGrants, revokeGrantsAndRecord } from '../token/grants.postgres.ts';
import { toFamily } from '../token/rows.store.ts';
import { accessOf, type NewAccessToken, type TokenFamily } from '../token/store.ts';
import {
  FIND,
  FIND_ISSUED,
  liveGrant,
  PROLONG,
  REPEAT,
  REPEAT_FOR_API,
  ROTATE,
  ROTATE_FOR_API,
  USED,
} from './rotation.postgres.ts';
import { toLiveRefreshToken, toRefreshFacts } from './rows.store.ts';
import { judgeRefresh, type RefreshVerdict } from './rules.ts';
import type { RefreshTokens, RotateOutcome, Rotation } from './store.ts';

const live = (app: string) =>
  statement(
    `SELECT g.client_id, g.sub, g.scope, t.issued_at, t.expires_at, g.started_at
   FROM refresh_tokens t CROSS JOIN ${liveGrant('t')} AS g
   WHERE t.app = $1 AND t.token_hash = $2 AND t.expires_at > $3 AND t.rotated_at IS NULL
     AND ${callerIsClient(app, '$4::text')}`,
  );
const LIVE: Statement = { ...live('$1'), onCitus: live(applicationOfPart('$1')) };
const FAMILY_OF_TOKEN = `app = $1 AND client_id = $2
   AND grant_id = (SELECT grant_id FROM refresh_tokens WHERE app = $1 AND token_hash = $3)`;
const REVOKE_FAMILY = {
  alone: withCitusForm(revokeGrants(FAMILY_OF_TOKEN, '$4'), revokeFamily),
  withEvent: revokeGrantsAndRecord(FAMILY_OF_TOKEN, '$4', '$5'),
};
/** One to find, where family and user have to be known first, and three to rotate. */
const MAX_ATTEMPTS = 4;

/** Refresh tokens. rules.ts decides whether a token is good. */
export function refreshTokens(db: Database, partitions: Partitions, replays: Replays): RefreshTokens {
  /** Adds GRANT_SLACK_SECONDS, so that a family that is refreshed every hour is not written every hour. */
  const prolong = async ({ write }: Operation, part: StoredApp, row: Row, end: number): Promise<void> => {
    if ((row.expires_at as number) < end)
      await write(PROLONG, [part, row.grant_id as string, end + GRANT_SLACK_SECONDS]);
  };

  const isSuccessorUsed = async ({ read }: Operation, part: StoredApp, { successor_hash }: Row): Promise<boolean> =>
    successor_hash !== null && (await read(USED, [part, successor_hash as Uint8Array])).length > 0;

  /** Judges the token only where the statement has not rotated it: nearly always it has, and that is all. */
  const rotate = async (operation: Operation, part: StoredApp, rotation: Rotation): Promise<RotateOutcome> => {
    const { presented, issuedAt } = rotation;
    let issue = plannedIssue(rotation);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const [row] = await partitions.writing(operation, placesOf(rotation, issue), () =>
        operation.write(issue.rotate, valuesOf(part, rotation, issue)),
      );
      if (!row) return { kind: 'refused', verdict: 'invalid' };
      if (row.done && presented.rotation) return issued('rotated', row, successorOf(rotation));
      if (row.done) return { kind: 'kept', ...familyAndUser(row) };
      const family = toFamily(row);
      const facts = toRefreshFacts(row, family, await isSuccessorUsed(operation, part, row));
      const verdict = judgeRefresh(facts, presented, issuedAt);
      if (verdict === 'reused') return reused(operation, part, row, rotation, issue.access);
      const refusal = refusalOf(verdict, row, family, rotation);
      if (refusal) return refusal;
      const access = accessOf(family, rotation);
      if (typeof access === 'string') return { kind: 'refused', verdict: access };
      // Good, and not rotated: what it covers was not known, its family ends too early, or another transaction has changed it just now.
      issue = access === rotation.access ? issueForIssuer(access) : issueForApi(access);
      if (verdict !== 'repeat') await prolong(operation, part, row, endOf(rotation, issue));
      else {
        const repeated = await repeat(operation, part, row, rotation, issue);
        if (repeated) return repeated;
      }
    }
    throw new StoreUnavailable('the grant is being changed by too many at once');
  };

  /** Undefined: another transaction changed the family just now. */
  const repeat = async (
    operation: Operation,
    part: StoredApp,
    row: Row,
    rotation: Rotation,
    issue: Issue,
  ): Promise<RotateOutcome | undefined> => {
    const { expiresAt } = issue.access;
    await prolong(operation, part, row, expiresAt);
    const event = rotation.event?.('refresh.repeated', toFamily(row));
    const values = valuesOf(part, rotation, issue, expiresAt);
    const [repeated] = await partitions.writing(operation, placesOf(rotation, issue), () =>
      actAndRecord(operation, issue.repeat, values, event),
    );
    return repeated?.done ? issued('repeated', row, row.successor_hash as Uint8Array) : undefined;
  };

  /** An earlier attempt of this call may have rotated the token and its answer was lost. Otherwise the token counts as stolen. */
  const reused = async (
    operation: Operation,
    part: StoredApp,
    row: Row,
    rotation: Rotation,
    access: NewAccessToken,
  ): Promise<RotateOutcome> => {
    const event = rotation.event?.('refresh.reused', toFamily(row));
    const family = { part, grantId: row.grant_id as string, replayedAt: rotation.issuedAt, event };
    const [landed] = await operation
      .read(FIND_ISSUED, [part, access.hash, rotation.tokenHash, rotation.user !== undefined])
      .catch(async fault => {
        throw await replays.postpone(fault, { ...family, unlessIssued: access.hash });
      });
    if (landed) return issued('rotated', landed, landed.successor_hash as Uint8Array);
    await replays.revoke(operation, family);
    return { kind: 'reused', sub: row.sub as string };
  };

  return {
    rotateRefreshToken: (app, rotation) => rotate(db.operation(), partOf(db, app, rotation.tokenHash), rotation),
    findRefreshToken: async (app, hash, now, caller) => {
      const [row] = await db.read(LIVE, [partOf(db, app, hash), hash, now, caller ?? null]);
      return row && toLiveRefreshToken(row);
    },
    revokeRefreshToken: async (app, hash, clientId, now, event) => {
      const values = [partOf(db, app, hash), clientId, hash, now];
      await actAndRecord(db.operation(), REVOKE_FAMILY, values, event);
    },
  };
}

/** The access token of a rotation, and the statements that issue it. */
interface Issue {
  readonly access: NewAccessToken;
  readonly rotate: Statement;
  readonly repeat: typeof REPEAT;
  /** Those that API_REQUEST has besides. */
  readonly values: readonly Value[];
}

function issueForIssuer(access: NewAccessToken): Issue {
  return { access, rotate: ROTATE, repeat: REPEAT, values: [] };
}

/** It may have another lifetime than the planned one, and so belong to another partition. */
function issueForApi(access: NewAccessToken): Issue {
  const values = [access.scope?.join(' ') ?? null, access.audience ?? null];
  return { access, rotate: ROTATE_FOR_API, repeat: REPEAT_FOR_API, values };
}

/** A request that names an API, or whose application does not admit everybody, rotates nothing before family and user are known. */
function plannedIssue({ access, target, user }: Rotation): Issue {
  const issue = issueForIssuer(access);
  return target?.namesResource || user?.isAllowed ? { ...issue, rotate: FIND } : issue;
}

function successorOf({ successors }: Rotation): Uint8Array {
  return successors[0] as Uint8Array;
}

function placesOf(rotation: Rotation, { access }: Issue) {
  return [
    ['access_tokens', access.hash],
    ['refresh_tokens', successorOf(rotation)],
  ] as const;
}

/** The earliest time at which the family may end. */
function endOf({ presented, successorExpiresAt }: Rotation, { access }: Issue): number {
  return presented.rotation ? Math.max(access.expiresAt, successorExpiresAt) : access.expiresAt;
}

function issued(kind: 'rotated' | 'repeated', row: Row, successor: Uint8Array): RotateOutcome {
  return { kind, ...familyAndUser(row), successor };
}

/** Undefined: token and user are good. */
function refusalOf(
  verdict: RefreshVerdict,
  row: Row,
  { scope, sub }: TokenFamily,
  { user }: Rotation,
): RotateOutcome | undefined {
  if (verdict === 'scopeWider') return { kind: verdict, granted: scope };
  if (verdict === 'invalid' || verdict === 'expired') return { kind: 'refused', verdict };
  return user?.isAllowed?.(toProfile(row)) === false ? { kind: 'notAllowed', sub } : undefined;
}

function familyAndUser(row: Row): { family: TokenFamily; user: Profile | undefined } {
  return { family: toFamily(row), user: row.username === null ? undefined : toProfile(row) };
}

/** The values of REQUEST, after the application. */
function valuesOf(part: StoredApp, rotation: Rotation, issue: Issue, end = endOf(rotation, issue)): Value[] {
  const { tokenHash, issuedAt, presented, successorExpiresAt, user } = rotation;
  const { access, values } = issue;
  return [
    part,
    tokenHash,
    issuedAt,
    access.hash,
    access.expiresAt,
    presented.scope?.join(' ') ?? null,
    end,
    presented.clientId,
    presented.rotation,
    successorOf(rotation),
    successorExpiresAt,
    user !== undefined,
    presented.familyTtl,
    ...values,
  ];
}
