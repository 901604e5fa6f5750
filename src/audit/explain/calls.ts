import { hasSecret } from '../../directory/clients/rules.ts';
import { commandLine } from '../../platform/release.ts';
import type { Call, Context } from './explanation.ts';

/** Changes that make a refused request work, for those that are safe to offer. */
export function addUri(
  context: Context,
  field: 'redirect_uris' | 'post_logout_redirect_uris',
  uri: string,
): Call | undefined {
  const registered = context.client?.[field] ?? [];
  return setList(context, field, [...registered, uri], `add ${uri}`);
}

export function addGrantType(context: Context, grantType: 'refresh_token' | 'authorization_code'): Call | undefined {
  const allowed = context.client?.grant_types ?? [];
  if (allowed.includes(grantType)) return undefined;
  return setList(context, 'grant_types', [...allowed, grantType], `allow ${grantType}`);
}

/** The command line separates the values of a list by commas. */
function setList({ client, app }: Context, field: string, values: readonly string[], what: string): Call | undefined {
  if (!client || app === '' || values.some(value => value.includes(','))) return undefined;
  const id = client.client_id;
  return {
    summary: `${what} to client ${id}`,
    method: 'PATCH',
    path: clientPath(app, id),
    body: { [field]: values },
    command: `${commandLine()} clients update ${ofClient(app, id)} --${field.replaceAll('_', '-')} ${quote(values.join(','))}`,
  };
}

const DAY_SECONDS = 86_400;

/** The old secret stays good for a day, so that nothing that works stops working. */
export function makeSecret({ client, app }: Context): Call | undefined {
  if (!client || app === '' || !hasSecret(client.token_endpoint_auth_method)) return undefined;
  const id = client.client_id;
  return {
    summary: `make a new secret for client ${id}; the current one stays valid for one day`,
    method: 'POST',
    path: `${clientPath(app, id)}/secrets`,
    body: { previous_valid_for: DAY_SECONDS },
    command: `${commandLine()} clients new-secret ${ofClient(app, id)} --previous-valid-for ${DAY_SECONDS}`,
  };
}

function clientPath(app: string, id: string): string {
  return `/applications/${encodeURIComponent(app)}/clients/${encodeURIComponent(id)}`;
}

function ofClient(app: string, id: string): string {
  return `--app ${quote(app)} --client ${quote(id)}`;
}

/** For a POSIX shell. */
function quote(text: string): string {
  return /^[\w.,:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
