import { applicationOfPart } from '../../application-parts.ts';
import type { Columns } from '../connection/statement.ts';
import { mayGetIn } from '../grants.ts';
import { familyTypes } from './column-types.ts';
import { APP, delegated } from './delegated.ts';

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
      IF NOT may_get_in THEN SELECT ${mayGetIn('r.sub', 'r.password_hash')} INTO may_get_in; END IF;
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
