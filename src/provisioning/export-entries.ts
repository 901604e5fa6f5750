import { isDeepStrictEqual } from 'node:util';
import { passkeyEntry } from '../accounts/passkey-registration.ts';
import { applicationFields, clientSchema } from '../applications/registration.ts';
import { findApi } from '../protocol/api.ts';
import type { ApplicationSettings, Client } from '../protocol/client.ts';
import { userHandleOf } from '../protocol/passkey.ts';
import { defaultRefreshGrace } from '../protocol/refresh-policy.ts';
import { allowedScope } from '../protocol/requested-access.ts';
import { encodeBase32 } from '../protocol/totp.ts';
import type { PasskeyRecord } from '../store/passkeys.ts';
import type { Account } from '../store/users.ts';
import { userFieldsOf } from './plan-user.ts';

/** The entry of an apply file, by the names of its fields. */
export type Entry = Readonly<Record<string, unknown>>;

/** What an entry of an application or client leaves out has its default, so only values that differ from it are named. */
const APPLICATION_DEFAULTS: Entry = applicationFields.parse({ code: 'none', name: 'None' });
const CLIENT_DEFAULTS: Entry = clientSchema.parse({});

export function applicationEntry(application: ApplicationSettings, clients: readonly Client[]): Entry {
  const { code, name, ...settings } = application;
  return {
    code,
    name,
    ...inOrder(withoutDefaults(settings, APPLICATION_DEFAULTS), applicationFields.shape),
    ...(clients.length === 0 ? {} : { clients: clients.map(one => clientEntry(withoutGone(one, application))) }),
  };
}

/** What an API has lost since its clients were registered gives them nothing, and could not be applied again. */
function withoutGone(client: Client, application: ApplicationSettings): Client {
  const scope = allowedScope(client, application);
  const apis = client.apis?.filter(identifier => findApi(application, identifier));
  return { ...client, ...(scope.length > 0 && { scope }), ...(apis && { apis }) };
}

/** Without the secret: the store has only its hash. */
function clientEntry({ secret_hash: _, ...metadata }: Client): Entry {
  const defaults = {
    ...CLIENT_DEFAULTS,
    client_name: metadata.client_id,
    refresh_token_grace: defaultRefreshGrace(metadata.token_endpoint_auth_method),
  };
  const { scope, ...named } = withoutDefaults(metadata, defaults) as Partial<Client>;
  return inOrder({ ...named, ...(scope ? { scope: scope.join(' ') } : {}) }, clientSchema.shape);
}

/** What an entry of a user leaves out stays as it is, so every field is named; null for one that is not set. */
export function userEntry(account: Account, signsInWith: SignsInWith = {}): Entry {
  const { username, ...fields } = userFieldsOf(account);
  const { passwordHash, totpKey, passkeys = [] } = signsInWith;
  return {
    username,
    ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
    ...(totpKey === undefined ? {} : { totp_secret: encodeBase32(totpKey) }),
    ...(passkeys.length === 0
      ? {}
      : { passkeys: passkeys.map(passkey => passkeyEntry(passkey, userHandleOf(account.sub))) }),
    ...fields,
  };
}

/** What is exported only where it is asked for. Recovery codes never are: they are of no use without the codes that the user kept. */
export interface SignsInWith {
  readonly passwordHash?: string | undefined;
  readonly totpKey?: Buffer | undefined;
  readonly passkeys?: readonly PasskeyRecord[] | undefined;
}

function withoutDefaults(value: object, defaults: Entry): Entry {
  const named = Object.entries(value).filter(
    ([field, one]) => one !== undefined && !isDeepStrictEqual(one, defaults[field]),
  );
  return Object.fromEntries(named);
}

/** The order of the documentation, whatever the order in which the fields were stored. */
function inOrder(entry: Entry, shape: object): Entry {
  const fields = Object.keys(shape).filter(field => field in entry);
  return Object.fromEntries(fields.map(field => [field, entry[field]]));
}
