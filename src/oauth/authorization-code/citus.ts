import { familyTypes, profileTypes } from '../../platform/store/citus/column-types.ts';
import { APP, columnsOf, delegated } from '../../platform/store/citus/delegated.ts';
import type { Columns } from '../../platform/store/postgres/statement.ts';
import { GRANT_SLACK_SECONDS } from '../../platform/store/retention.ts';
import { API_REQUEST, mayRedeem, REQUEST } from './conditions.postgres.ts';

/** The redemption of a code on the worker of its application: the same as in codes.ts, step by step. */

const CODE: Columns = {
  ...familyTypes,
  nonce: 'text',
  redirect_uri: 'text',
  code_challenge: 'text',
  client_authentication_required: 'boolean',
  with_refresh: 'boolean',
  expires_at: 'bigint',
  grant_id: 'text',
};

/** `c`: the request and its code as it is now; `u`: the user of the code, unless disabled. */
const findCode = (request: Columns) => `
  SELECT ${Object.keys(request)
    .map(name => `r.${name} AS ${name}`)
    .join(', ')}, ${Object.keys(CODE).join(', ')}, true AS revoked
    INTO c FROM codes WHERE app = ${APP} AND code_hash = r.code_hash FOR UPDATE;
  CONTINUE WHEN NOT FOUND;
  SELECT ${Object.keys(profileTypes).join(', ')} INTO u FROM users WHERE sub = c.sub AND NOT disabled;
  c.revoked := NOT FOUND;`;

const redeemWith = (access: string) => `
  UPDATE codes SET grant_id = c.new_grant WHERE app = ${APP} AND code_hash = c.code_hash;
  INSERT INTO grants (app, grant_id, client_id, sub, scope, auth_time, amr, sid, claims, resources, started_at, expires_at)
    VALUES (${APP}, c.new_grant, c.client_id, c.sub, c.scope, c.auth_time, c.amr, c.sid, c.claims, c.resources, c.now,
      CASE WHEN c.with_refresh THEN c.grant_end ELSE c.access_end + ${GRANT_SLACK_SECONDS} END);
  INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, issued_at, expires_at, auth_time, amr, scope, claims,
      audience)
    VALUES (${APP}, c.access_hash, c.new_grant, c.client_id, c.sub, c.now, c.access_end, c.auth_time, c.amr, ${access});
  IF c.with_refresh THEN
    INSERT INTO refresh_tokens (app, token_hash, grant_id, issued_at, expires_at)
      VALUES (${APP}, c.refresh_hash, c.new_grant, c.now, c.refresh_end);
  END IF;`;

const redemption = (name: string, request: Columns, condition: string, access: string) =>
  delegated({
    name,
    values: request,
    rows: { n: 'bigint', ...CODE, revoked: 'boolean', ...profileTypes, done: 'boolean' },
    variables: ['c record', 'u record', 'good boolean'],
    body: {
      each: `${findCode(request)}
      good := coalesce(${mayRedeem('c.')} ${condition}, false);
      IF good THEN ${redeemWith(access)} END IF;
      RETURN QUERY SELECT r.n, ${columnsOf('c', CODE)}, c.revoked, ${columnsOf('u', profileTypes)}, good;`,
    },
  });

const FOR_ISSUER = 'c.scope, c.claims, NULL';
const FOR_API = 'coalesce(c.access_scope, c.scope), CASE WHEN c.audience IS NULL THEN c.claims END, c.audience';

export const redeem = redemption('redeem', REQUEST, 'AND c.resources IS NULL', FOR_ISSUER);
export const redeemForApi = redemption('redeem_for_api', API_REQUEST, '', FOR_API);
export const findCodeOnly = redemption('find_code', REQUEST, 'AND false', FOR_ISSUER);
