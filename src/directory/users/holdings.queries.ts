import { toConsent } from '../../people/consent/rows.store.ts';
import { endConfirmations, endUndos } from '../../people/email/undo-records.queries.ts';
import { removeFactor } from '../../people/second-factor/queries.ts';
import { distrustBrowsers } from '../../people/trusted-browsers/queries.ts';
import type { StoredApp } from '../../platform/store/application-parts.ts';
import type { Row } from '../../platform/store/row.ts';
import { APPLICATION, BYTEWISE, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import { writeUser } from './changes.queries.ts';
import { endOfUser } from './queries.ts';
import { toFactor, toHeldGrant, toHeldSession } from './rows.store.ts';
import type { HoldingPage, TimeAndId, UserHoldings } from './store.ts';

/** After the end of all times, for the first page. */
const LATEST = Number.MAX_SAFE_INTEGER;

export function coldUserHoldings(db: ColdDatabase): UserHoldings {
  const { own } = db;
  return {
    userSessions: async (sub, now, page) => {
      const sessions = sql`SELECT sid, auth_time, amr, idle_expires_at, expires_at, user_agent, address, started_at FROM sessions
        WHERE sub = ${sub} AND expires_at > ${now} AND idle_expires_at > ${now}
          AND ${newestFirst(sql`auth_time`, sql`sid`, page)}`;
      return (await db.read(sessions)).map(toHeldSession);
    },
    userGrants: async (sub, now, page) => {
      const grants = sql`SELECT ${APPLICATION} AS app, grant_id, client_id, scope, claims, sid, started_at, expires_at FROM grants
        WHERE sub = ${sub} AND revoked_at IS NULL AND expires_at > ${now}
          AND ${newestFirst(sql`started_at`, sql`grant_id`, page)}`;
      return (await db.read(grants)).map(toHeldGrant);
    },
    userConsents: async (sub, { after, limit }) => {
      const { app, clientId } = after ?? { app: '', clientId: '' };
      const consents = sql`SELECT app, client_id, scope, given_at FROM consents WHERE sub = ${sub}
          AND (app ${BYTEWISE} > ${app} OR (app = ${app} AND client_id ${BYTEWISE} > ${clientId}))
        ORDER BY app ${BYTEWISE}, client_id ${BYTEWISE} LIMIT ${limit}`;
      return (await db.read(consents)).map(toConsent);
    },
    userFactors: async sub => {
      const factors = sql`SELECT id, kind, created_at, last_used_at FROM credentials WHERE sub = ${sub}
        ORDER BY created_at, id ${BYTEWISE}`;
      return (await db.read(factors)).map(toFactor);
    },

    endUserSession: (sub, sid, now, act) => {
      const found = sql`SELECT 1 FROM sessions WHERE sub = ${sub} AND sid = ${sid} AND expires_at > ${now}`;
      const end = function* () {
        yield* own.endSession(sub, sid, now);
        yield* rowsOf(endConfirmations(sub));
      };
      return endOfUser(db, sub, act, () => ifFound(found, end));
    },
    revokeUserGrant: (sub, grantId, now, act) => {
      const found = sql`SELECT app FROM grants
        WHERE sub = ${sub} AND grant_id = ${grantId} AND revoked_at IS NULL AND expires_at > ${now}`;
      // As the row has it: on Citus with its part.
      const revoke = ({ app }: Row) => own.revokeGrant(app as StoredApp, grantId, now);
      return endOfUser(db, sub, act, () => ifFound(found, revoke));
    },
    withdrawUserConsent: (sub, { app, clientId }, now, act) => {
      const found = sql`SELECT 1 FROM consents WHERE sub = ${sub} AND app = ${app} AND client_id = ${clientId}`;
      const withdraw = () => own.withdrawConsent(sub, app, clientId, now);
      return endOfUser(db, sub, act, () => ifFound(found, withdraw));
    },
    removeUserFactor: (sub, id, now, act) => {
      const found = sql`SELECT 1 FROM credentials WHERE sub = ${sub} AND id = ${id}`;
      const remove = function* () {
        if (id === 'password') yield* writeUser(own, { kind: 'user', sub, passwordHash: null, now });
        else yield* runAll(removeFactor(sub, id));
      };
      return endOfUser(db, sub, act, () => ifFound(found, remove));
    },
    resetUserFactors: (sub, _now, act) => {
      const others = sql`FROM credentials WHERE sub = ${sub} AND id <> 'password'`;
      const reset = () => runAll([sql`DELETE ${others}`, distrustBrowsers(sub), endUndos(sub)]);
      return endOfUser(db, sub, act, () => ifFound(sql`SELECT 1 ${others}`, reset));
    },
    withdrawTrustedBrowser: (sub, id, act) => {
      const browser = sql`FROM trusted_browsers WHERE sub = ${sub} AND id = ${id}`;
      return endOfUser(db, sub, act, () => ifFound(sql`SELECT 1 ${browser}`, () => rowsOf(sql`DELETE ${browser}`)));
    },
    signOutUser: (sub, now, act) => {
      const found = sql`SELECT 1 FROM users WHERE sub = ${sub}`;
      return endOfUser(db, sub, act, () => ifFound(found, () => own.endUserAccess(sub, now)));
    },
  };
}

function* ifFound(find: Query, end: (found: Row) => Steps<unknown>): Steps<boolean> {
  const [found] = yield* rowsOf(find);
  if (found) yield* end(found);
  return found !== undefined;
}

/** The condition and the rest of a statement that pages by time, newest first, and by id where two have the same time. */
function newestFirst(time: Query, id: Query, { after, limit }: HoldingPage<TimeAndId>): Query {
  const [before, last] = after ?? [LATEST, ''];
  return sql`(${time} < ${before} OR (${time} = ${before} AND ${id} ${BYTEWISE} > ${last}))
    ORDER BY ${time} DESC, ${id} ${BYTEWISE} LIMIT ${limit}`;
}
