import { applicationOfPart } from '../../platform/store/application-parts.ts';
import { familyTypes } from '../../platform/store/citus/column-types.ts';
import { APP, delegated } from '../../platform/store/citus/delegated.ts';
import type { Columns } from '../../platform/store/postgres/statement.ts';
import { isEnabled } from './grants.postgres.ts';

/** What is issued to a client on the worker of its application: the same as in codes.ts and tokens.ts, step by step. */

/** `is_known`: the client exists. `may_grant`: and its session has not ended, in which the client takes part from now on. */
const PREPARE = `
  PERFORM 1 FROM clients WHERE app = ${applicationOfPart(APP)} AND client_id = r.client_id;
  is_known := FOUND;
  is_done := false;
  PERFORM 1 FROM ended_sessions WHERE sid = r.sid;
  may_grant := is_known AND NOT FOUND;
  IF r.sid IS NOT NULL AND NOT FOUND THEN
    INSERT INTO session_clients (app, client_id, sid) VALUES (${APP}, r.client_id, r.sid) ON CONFLICT DO NOTHING;
  END IF;`;
const VARIABLES = ['is_known boolean', 'may_grant boolean', 'is_done boolean'];
const ANSWER = 'RETURN QUERY SELECT r.n, is_known, is_done;';
const ANSWER_COLUMNS: Columns = { n: 'bigint', known: 'boolean', done: 'boolean' };

export const addCode = delegated({
  name: 'add_code',
  values: {
    ...familyTypes,
    code_hash: 'bytea',
    nonce: 'text',
    redirect_uri: 'text',
    code_challenge: 'text',
    client_authentication_required: 'boolean',
    with_refresh: 'boolean',
    expires_at: 'bigint',
  },
  rows: ANSWER_COLUMNS,
  variables: VARIABLES,
  body: {
    each: `${PREPARE}
    PERFORM 1 FROM users WHERE sub = r.sub AND NOT disabled;
    IF may_grant AND FOUND THEN
      INSERT INTO codes (app, client_id, sid, sub, scope, auth_time, amr, claims, resources, code_hash, nonce, redirect_uri,
          code_challenge, client_authentication_required, with_refresh, expires_at)
        VALUES (${APP}, r.client_id, r.sid, r.sub, r.scope, r.auth_time, r.amr, r.claims, r.resources, r.code_hash, r.nonce,
          r.redirect_uri, r.code_challenge, r.client_authentication_required, r.with_refresh, r.expires_at)
        ON CONFLICT DO NOTHING;
      is_done := FOUND;
    END IF;
    ${ANSWER}`,
  },
});

const GRANT: Columns = {
  ...familyTypes,
  grant_id: 'text',
  grant_end: 'bigint',
  access_hash: 'bytea',
  now: 'bigint',
  access_end: 'bigint',
  refresh_hash: 'bytea',
  refresh_end: 'bigint',
  /** Not read: credentials are on the coordinator, which compares it before (tokens.ts). */
  password_hash: 'text',
  access_scope: 'text',
  audience: 'text',
};

export const addGrant = delegated({
  name: 'add_grant',
  values: GRANT,
  rows: ANSWER_COLUMNS,
  variables: [...VARIABLES, 'may_get_in boolean'],
  body: {
    each: `${PREPARE}
      may_get_in := r.sub = r.client_id;
      IF NOT may_get_in THEN SELECT ${isEnabled('r.sub')} INTO may_get_in; END IF;
      IF may_grant AND may_get_in THEN
        INSERT INTO grants (app, client_id, sid, sub, scope, auth_time, amr, claims, resources, grant_id, expires_at,
            started_at)
          VALUES (${APP}, r.client_id, r.sid, r.sub, r.scope, r.auth_time, r.amr, r.claims, r.resources, r.grant_id,
            r.grant_end, r.now)
          ON CONFLICT DO NOTHING;
        IF FOUND THEN
          INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, claims, issued_at, expires_at,
              auth_time, amr, audience)
            VALUES (${APP}, r.access_hash, r.grant_id, r.client_id, r.sub, coalesce(r.access_scope, r.scope),
              CASE WHEN r.audience IS NULL THEN r.claims END, r.now, r.access_end, r.auth_time, r.amr, r.audience);
          IF r.refresh_hash IS NOT NULL THEN
            INSERT INTO refresh_tokens (app, token_hash, grant_id, issued_at, expires_at)
              VALUES (${APP}, r.refresh_hash, r.grant_id, r.now, r.refresh_end);
          END IF;
          is_done := true;
        END IF;
      END IF;
      ${ANSWER}`,
  },
});

const EXCHANGE: Columns = {
  client_id: 'text',
  subject_hash: 'bytea',
  token_hash: 'bytea',
  scope: 'text',
  now: 'bigint',
  expires_at: 'bigint',
  audience: 'text',
  exchange: 'text',
};

/**
 * A token that another is exchanged for, as in token-exchanges.ts. Only the subject token is locked: a revocation deletes the tokens of
 * one level before it reads the next (oauth/revoke/citus.ts). Finds its own token again if it is repeated after a lost answer.
 */
export const addExchanged = delegated({
  name: 'add_exchanged',
  values: EXCHANGE,
  rows: ANSWER_COLUMNS,
  variables: ['t record', 'is_known boolean', 'is_client boolean', 'is_good boolean', 'is_done boolean'],
  body: {
    each: `
    PERFORM 1 FROM clients WHERE app = ${applicationOfPart(APP)} AND client_id = r.client_id;
    is_known := FOUND;
    SELECT grant_id, client_id, sub, auth_time, amr, expires_at INTO t FROM access_tokens
      WHERE app = ${APP} AND token_hash = r.subject_hash FOR KEY SHARE;
    IF FOUND AND is_known AND t.expires_at > r.now AND t.expires_at >= r.expires_at THEN
      is_client := t.auth_time IS NULL OR t.sub = t.client_id;
      PERFORM 1 FROM users WHERE sub = t.sub AND (is_client OR NOT disabled);
      is_good := FOUND <> is_client;
      PERFORM 1 FROM revoked_grants WHERE app = ${APP} AND grant_id = t.grant_id;
      IF is_good AND NOT FOUND THEN
        INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, claims, issued_at, expires_at,
            auth_time, amr, audience, exchange)
          VALUES (${APP}, r.token_hash, t.grant_id, r.client_id, t.sub, r.scope, NULL, r.now, r.expires_at,
            CASE WHEN NOT is_client THEN t.auth_time END, CASE WHEN NOT is_client THEN t.amr END, r.audience, r.exchange)
          ON CONFLICT DO NOTHING;
        IF FOUND THEN
          INSERT INTO token_exchanges (app, token_hash, subject_hash, client_id, expires_at)
            VALUES (${APP}, r.token_hash, r.subject_hash, r.client_id, r.expires_at);
        END IF;
      END IF;
    END IF;
    PERFORM 1 FROM token_exchanges WHERE app = ${APP} AND token_hash = r.token_hash;
    is_done := FOUND;
    ${ANSWER}`,
  },
});
