import { familyTypes, profileTypes } from '../../platform/store/citus/column-types.ts';
import { APP, columnsOf, delegated } from '../../platform/store/citus/delegated.ts';
import type { Columns } from '../../platform/store/postgres/statement.ts';
import {
  API_REQUEST,
  forApi,
  forIssuer,
  type IssuedFor,
  lastsLongEnough,
  mayRotate,
  REQUEST,
} from './conditions.postgres.ts';

/** A rotation on the worker of its application: the same as in rotation.postgres.ts, step by step. */

const FAMILY: Columns = {
  ...familyTypes,
  expires_at: 'bigint',
};
const TOKEN: Columns = { rotated_at: 'bigint', successor_hash: 'bytea', grant_id: 'text' };

/** `f`: the request, its token and its family as they are now. Nothing is returned for a token without a live family. */
const findFamily = (request: Columns, lock: string) => `
  SELECT expires_at AS token_expires_at, rotated_at, successor_hash, grant_id INTO t FROM refresh_tokens
    WHERE app = ${APP} AND token_hash = r.token_hash ${lock};
  CONTINUE WHEN NOT FOUND;
  SELECT ${[...Object.keys(request).map(name => `r.${name} AS ${name}`)].join(', ')},
    t.token_expires_at AS token_expires_at, t.rotated_at AS rotated_at, t.successor_hash AS successor_hash,
    t.grant_id AS grant_id, ${Object.keys(FAMILY).join(', ')}, started_at
    INTO f FROM grants WHERE app = ${APP} AND grant_id = t.grant_id AND revoked_at IS NULL;
  CONTINUE WHEN NOT FOUND;`;

const addAccessToken = ({ scope, claims, audience }: IssuedFor) => `
  INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, claims, issued_at, expires_at, auth_time, amr,
      audience)
    VALUES (${APP}, f.access_hash, f.grant_id, f.client_id, f.sub, ${scope}, ${claims}, f.now, f.access_end, f.auth_time, f.amr,
      ${audience})
    ON CONFLICT DO NOTHING;`;

const ROTATE_TOKEN = `
  IF f.rotates THEN
    UPDATE refresh_tokens SET rotated_at = f.now, successor_hash = f.successor
      WHERE app = ${APP} AND token_hash = f.token_hash;
    INSERT INTO refresh_tokens (app, token_hash, grant_id, issued_at, expires_at)
      VALUES (${APP}, f.successor, f.grant_id, f.now, least(f.successor_end, f.started_at + f.family_ttl));
  END IF;`;

const FIND_USER = `
  SELECT ${Object.keys(profileTypes).join(', ')} INTO u FROM users
    WHERE sub = f.sub AND (f.with_user OR f.claims IS NOT NULL);`;

const rotation = (name: string, request: Columns, condition: string, target: IssuedFor) =>
  delegated({
    name,
    values: request,
    rows: {
      n: 'bigint',
      token_expires_at: 'bigint',
      ...TOKEN,
      ...FAMILY,
      started_at: 'bigint',
      ...profileTypes,
      done: 'boolean',
    },
    variables: ['t record', 'f record', 'u record', 'good boolean'],
    body: {
      each: `${findFamily(request, 'FOR UPDATE')}
      good := coalesce(${mayRotate('f.')} ${condition} AND ${lastsLongEnough('f.')}, false);
      IF good THEN ${addAccessToken(target)} ${ROTATE_TOKEN} END IF;
      ${FIND_USER}
      RETURN QUERY SELECT r.n, f.token_expires_at, ${columnsOf('f', { ...TOKEN, ...FAMILY })},
        f.started_at, ${columnsOf('u', profileTypes)}, good;`,
    },
  });

export const rotate = rotation('rotate', REQUEST, 'AND f.resources IS NULL', forIssuer('f.'));
export const rotateForApi = rotation('rotate_for_api', API_REQUEST, '', forApi('f.'));
export const findFamilyOnly = rotation('find_family', REQUEST, 'AND false', forIssuer('f.'));

const repetition = (name: string, request: Columns, target: IssuedFor) =>
  delegated({
    name,
    values: request,
    rows: { n: 'bigint', done: 'boolean' },
    variables: ['t record', 'f record'],
    body: {
      each: `${findFamily(request, '')}
      CONTINUE WHEN NOT ${lastsLongEnough('f.')};
      PERFORM 1 FROM refresh_tokens
        WHERE app = ${APP} AND token_hash = f.successor_hash AND rotated_at IS NOT NULL;
      CONTINUE WHEN FOUND;
      ${addAccessToken(target)}
      RETURN QUERY SELECT r.n, true;`,
    },
  });

export const repeat = repetition('repeat', REQUEST, forIssuer('f.'));
export const repeatForApi = repetition('repeat_for_api', API_REQUEST, forApi('f.'));
