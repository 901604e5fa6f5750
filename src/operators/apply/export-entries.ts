import type { ApplicationSettings } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import type { Shape } from '../../directory/fields/declaration.fields.ts';
import type { Fields } from '../../directory/fields/sum.fields.ts';
import type { Provider } from '../../directory/providers/rules.ts';
import type { UserAttribute } from '../../directory/user-attributes/rules.ts';
import type { Account } from '../../directory/users/store.ts';
import type { LinkKey } from '../../people/linking/rules.ts';
import { passkeyEntry } from '../../people/passkey/fields.ts';
import { userHandleOf } from '../../people/passkey/rules.ts';
import type { PasskeyRecord } from '../../people/passkey/store.ts';
import { encodeBase32 } from '../../people/totp/rules.ts';
import { completeApplication } from './complete-application.ts';
import { withoutLost } from './complete-client.ts';
import { userFieldsOf } from './plan-user.ts';

/** The entry of an apply file, by the names of its fields. */
export type Entry = Readonly<Record<string, unknown>>;

/** Empty lists of these would remove what another store has; `--prune` is the way to ask for that. */
const LISTS = ['apis', 'token_exchange'];

/** What an entry leaves out stays as it is, so every field is named; null for one that is not set. */
export function applicationEntry(fields: Fields, stored: ApplicationSettings, clients: readonly Client[]): Entry {
  const { application } = completeApplication(fields.application, { code: stored.code }, stored, false);
  const all = allFields(application, fields.application.shape);
  const named = Object.entries(all).filter(([name, value]) => !LISTS.includes(name) || !isEmpty(value));
  return {
    ...Object.fromEntries(named),
    ...(clients.length === 0
      ? {}
      : { clients: clients.map(one => clientEntry(fields, withoutLost(one, application))) }),
  };
}

/** Without the secrets: an entry that names none keeps them. What the type does not have is left out. */
export function providerEntry({ provider: { declared } }: Fields, stored: Provider): Entry {
  const own = declared.filter(({ types, isSecret }) => !isSecret && (types?.includes(stored.type) ?? true));
  const shape = Object.fromEntries(own.map(({ name, schema }) => [name, schema]));
  return allFields(stored, shape);
}

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;

/** Without the secret: the store has only its hash. */
function clientEntry({ client: { shape } }: Fields, client: Client): Entry {
  const { client_secret: _, ...shown } = shape;
  return allFields({ ...client, scope: client.scope.join(' ') }, shown);
}

/** In the order of the documentation, whatever the order in which the fields were stored. */
function allFields(value: object, shape: Shape): Entry {
  const stored = new Map(Object.entries(value));
  return Object.fromEntries(Object.keys(shape).map(name => [name, stored.get(name) ?? null]));
}

export function attributeEntry({ name, type, label, editable_by, scope }: UserAttribute): Entry {
  return { name, type, label, editable_by, scope: scope ?? null };
}

/** As of applications and clients, every field is named that an operator sets. */
export function userEntry(account: Account, signsInWith: SignsInWith = {}): Entry {
  const { username, ...all } = userFieldsOf(account);
  const fields = withoutTheirs(account, all);
  const { passwordHash, totpKey, passkeys = [], links = [] } = signsInWith;
  return {
    username,
    ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
    ...(totpKey === undefined ? {} : { totp_secret: encodeBase32(totpKey) }),
    ...(passkeys.length === 0
      ? {}
      : { passkeys: passkeys.map(passkey => passkeyEntry(passkey, userHandleOf(account.sub))) }),
    ...(links.length === 0 ? {} : { links }),
    ...fields,
  };
}

/**
 * What the user typed, or a provider named, stays as it is. In a file it would become a login name, and two users may have the same. A user
 * who has asked to delete the account is disabled only until then, or until the account is kept.
 */
function withoutTheirs(
  { isEmailClaimed, isPhoneClaimed, deletionDue }: Account,
  all: Readonly<Record<string, unknown>>,
): Entry {
  const left = [
    ...(isEmailClaimed ? ['email', 'email_verified'] : []),
    ...(isPhoneClaimed ? ['phone_number', 'phone_number_verified'] : []),
    ...(deletionDue === undefined ? [] : ['disabled']),
  ];
  return Object.fromEntries(Object.entries(all).filter(([name]) => !left.includes(name)));
}

/** What is exported only where it is asked for. Recovery codes never are: they are of no use without the codes that the user kept. */
export interface SignsInWith {
  readonly passwordHash?: string | undefined;
  readonly totpKey?: Buffer | undefined;
  readonly passkeys?: readonly PasskeyRecord[] | undefined;
  /** These always: they are no secret. */
  readonly links?: readonly LinkKey[] | undefined;
}
