import { originOf } from '../../oauth/authorize/redirect-uri.rules.ts';
import { listed, type Query, sql } from '../../platform/store/sql.ts';
import { logoHash } from '../branding/rules.ts';
import type { Client } from '../clients/rules.ts';
import type { ApplicationSettings } from './rules.ts';

/** The definitions of users' fields belong to the deployment. */
export function putApplication({ code, name, logo_uri, user_attributes: _, ...settings }: ApplicationSettings): Query {
  const hash = logo_uri === undefined ? null : logoHash(logo_uri);
  return sql`INSERT INTO applications (code, name, settings, logo_hash, logo)
    VALUES (${code}, ${name}, ${JSON.stringify(settings)}, ${hash}, ${logo_uri ?? null})
    ON CONFLICT (code) DO UPDATE SET name = excluded.name, settings = excluded.settings,
      logo_hash = excluded.logo_hash, logo = excluded.logo, deleted_at = NULL`;
}

export function putClient(app: string, { secret_hash, ...metadata }: Client): Query[] {
  const { client_id, redirect_uris, origin } = metadata;
  const origins = redirect_uris.map(originOf).filter(origin => origin !== undefined);
  return [
    sql`INSERT INTO clients (app, client_id, secret_hash, metadata)
      VALUES (${app}, ${client_id}, ${secret_hash ?? null}, ${JSON.stringify(metadata)})
      ON CONFLICT (app, client_id) DO UPDATE SET secret_hash = excluded.secret_hash, metadata = excluded.metadata`,
    // An operator has taken it over: it is kept, whether somebody uses it or not.
    ...(origin === undefined
      ? [sql`DELETE FROM client_registrations WHERE app = ${app} AND client_id = ${client_id}`]
      : []),
    sql`DELETE FROM client_origins WHERE app = ${app} AND client_id = ${client_id}`,
    sql`INSERT INTO client_origins (app, client_id, origin)
      SELECT ${app}, ${client_id}, value FROM ${listed([...new Set(origins)])} WHERE true`,
  ];
}

/** Of a row of clients, whose metadata is JSON as text: a client without the setting does not have its name. */
export const TOLD_IN_FRAMES = sql`metadata LIKE ${'%"frontchannel_logout_uri":%'}`;
