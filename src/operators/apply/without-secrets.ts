import type { Fields } from '../../directory/fields/sum.fields.ts';
import type { ApplyFile } from './file-schema.ts';

export interface WithoutSecrets {
  readonly file: ApplyFile;
  /** What the caller has to know of it. */
  readonly notes: readonly string[];
}

const OF_CLIENT = ['client_secret'];
/** A hash without salt, of another system, can be guessed too. */
const OF_USER = ['password', 'password_hash', 'totp_secret'];

const NOT_COMPARED =
  'Secrets and passwords in the file were not compared: that needs the role operator, because the answer would tell whether a guess is right.';

/** What an entry leaves out stays as it is, so the rest of the file is compared as it stands. */
export function withoutSecrets({ provider: { secrets } }: Fields, file: ApplyFile): WithoutSecrets {
  let hasAny = false;
  const without = <Entry extends object>(entry: Entry, names: readonly string[]): Entry => {
    const left = Object.entries(entry).filter(([name]) => !names.includes(name));
    if (left.length === Object.keys(entry).length) return entry;
    hasAny = true;
    return Object.fromEntries(left) as Entry;
  };
  const { providers, applications, users } = file;
  const compared: ApplyFile = {
    ...file,
    ...(providers && { providers: providers.map(provider => without(provider, secrets)) }),
    applications: applications.map(application => {
      const { clients } = application;
      return clients ? { ...application, clients: clients.map(client => without(client, OF_CLIENT)) } : application;
    }),
    users: users.map(user => without(user, OF_USER)),
  };
  return { file: compared, notes: hasAny ? [NOT_COMPARED] : [] };
}
