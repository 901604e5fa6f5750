import type { Call, Context } from './explanation.ts';

/** Changes that make a refused request work, for those that are safe to offer. */
export function addUri(
  context: Context,
  field: 'redirect_uris' | 'post_logout_redirect_uris',
  uri: string,
): Call | undefined {
  const { client, app } = context;
  if (!client || app === '') return undefined;
  return updateClient(
    app,
    client.client_id,
    { [field]: [...client[field], uri] },
    `add ${uri} to client ${client.client_id}`,
  );
}

export function addGrantType(context: Context, grantType: 'refresh_token' | 'authorization_code'): Call | undefined {
  const { client, app } = context;
  if (!client || app === '' || client.grant_types.includes(grantType)) return undefined;
  const grantTypes = [...client.grant_types, grantType];
  return updateClient(
    app,
    client.client_id,
    { grant_types: grantTypes },
    `allow ${grantType} to client ${client.client_id}`,
  );
}

const DAY_SECONDS = 86_400;

/** The old secret stays good for a day, so that nothing that works stops working. */
export function makeSecret({ client, app }: Context): Call | undefined {
  if (!client || app === '' || client.token_endpoint_auth_method === 'none') return undefined;
  const id = client.client_id;
  return {
    summary: `make a new secret for client ${id}; the present one stays valid for a day`,
    method: 'POST',
    path: `${clientPath(app, id)}/secrets`,
    body: { previous_valid_for: DAY_SECONDS },
    command: `gatehouse clients new-secret --app ${quote(app)} --client ${quote(id)} --previous-valid-for ${DAY_SECONDS}`,
  };
}

function updateClient(app: string, id: string, body: Readonly<Record<string, unknown>>, summary: string): Call {
  const data = quote(JSON.stringify(body));
  return {
    summary,
    method: 'PATCH',
    path: clientPath(app, id),
    body,
    command: `gatehouse clients update --app ${quote(app)} --client ${quote(id)} --data ${data}`,
  };
}

function clientPath(app: string, id: string): string {
  return `/applications/${encodeURIComponent(app)}/clients/${encodeURIComponent(id)}`;
}

/** For a POSIX shell. */
function quote(text: string): string {
  return /^[\w.:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
