import type { Client } from '../../directory/clients/rules.ts';
import type { Failures } from '../../failures.ts';
import type { GrantTypes } from '../../oauth/token/grant-types.rules.ts';
import type { Refusals, StoredRefusal } from '../refusals/store.ts';
import { explain } from './explain.ts';
import type { Context, Explanation } from './explanation.ts';
import type { Snapshot } from './snapshot.ts';
import { timeText, valueText } from './wording.ts';

/** A refused request with its explanation, in the words of the admin API. */
export interface Explained extends Explanation {
  readonly request_id: string;
  readonly time: string;
  readonly application: string | undefined;
  readonly client: string | undefined;
  readonly user: string | undefined;
  readonly route: string | undefined;
  readonly method: string;
  readonly status: number;
  readonly error: string;
  readonly error_description: string;
  readonly reason: string;
  /** What was received, secrets masked. */
  readonly parameters: Readonly<Record<string, string>>;
}

interface RefusalReader {
  readonly store: Pick<Refusals, 'findRefusal'> & {
    findClient(app: string, clientId: string): Promise<Client | undefined>;
  };
  readonly tables: { readonly grantTypes: GrantTypes; readonly failures: Failures };
}

/** `mayName`: whether the reader may know of this application. Undefined: no refusal with this id that the reader may know of. */
export async function explainRequest(
  { store, tables: { grantTypes, failures } }: RefusalReader,
  requestId: string,
  mayName: (app: string) => boolean,
): Promise<Explained | undefined> {
  const stored = await store.findRefusal(requestId);
  // A newer release may have written a reason that this one does not know.
  if (!stored || !mayName(stored.app) || !failures.has(stored.reason)) return undefined;
  const snapshot = readable(JSON.parse(stored.data) as Snapshot, mayName);
  const client =
    stored.app === '' || snapshot.client === undefined
      ? undefined
      : await store.findClient(stored.app, snapshot.client);
  return explained(stored, { snapshot, app: stored.app, client, mayName, grantTypes, failures });
}

/** Without the applications that the reader may not know of: not even that one of them has a client of this name. */
function readable(snapshot: Snapshot, mayName: (app: string) => boolean): Snapshot {
  const client = snapshot.found?.client;
  if (!client || client.apps.every(mayName)) return snapshot;
  const { similar } = client;
  const apps = client.apps.filter(mayName);
  const received = apps.length > 0 || similar !== undefined ? client.received : undefined;
  return { ...snapshot, found: { ...snapshot.found, client: { apps, similar, received } } };
}

function explained({ requestId, app }: StoredRefusal, context: Context): Explained {
  const { snapshot } = context;
  const params = Object.entries(snapshot.received.params);
  return {
    request_id: requestId,
    time: timeText(snapshot.time),
    application: app === '' ? undefined : app,
    client: snapshot.client,
    user: snapshot.sub,
    route: snapshot.route,
    method: snapshot.method,
    status: snapshot.status,
    error: snapshot.error,
    error_description: snapshot.description,
    reason: snapshot.reason,
    ...explain(context),
    parameters: Object.fromEntries(params.map(([name, { value }]) => [name, valueText(value)])),
  };
}
