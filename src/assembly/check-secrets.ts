import type { Applications, SecretUse } from '../directory/applications/store.ts';
import type { Config } from '../platform/config/config.ts';
import type { KeyRing } from '../platform/crypto/key-ring.ts';
import { SecretFault, secretFileOf } from '../platform/crypto/secret-file.ts';

/**
 * Checks at the start that the secrets open every signing key, webhook secret, secret of an identity provider and key of an authenticator app, and verify every client
 * secret in the store. Without this check the server would start and fail later: at the first signature, at the first client
 * authentication, or at the first code of a user.
 */
export async function checkSecrets(
  { database, secrets }: Config,
  store: Pick<Applications, 'secretsInUse'>,
  ring: KeyRing,
): Promise<void> {
  const unknown = (await store.secretsInUse()).filter(({ id }) => !ring.hasSecret(id));
  if (unknown.length === 0) return;
  const sums = Object.entries(NAMES).map(([kind, name]) => {
    return [unknown.reduce((sum, each) => sum + each[kind as keyof typeof NAMES], 0), name] as const;
  });
  const parts = sums.map(([number, name]) => count(number, name)).filter(part => part !== '');
  const total = sums.reduce((sum, [number]) => sum + number, 0);
  const isFromFile = secrets === undefined && database.kind === 'sqlite';
  const [origin, remedy] = isFromFile
    ? [secretFileOf(database.path), 'Put back the file that belongs to the database, or set GATEHOUSE_SECRET']
    : [
        'GATEHOUSE_SECRET',
        `Add the secret that they were made with behind the present one: GATEHOUSE_SECRET=new,old${besideDatabase(database)}`,
      ];
  throw new SecretFault(
    `${origin} is not the secret of this database: ${parts.join(' and ')} in it ${total === 1 ? 'was' : 'were'} made with another. ${remedy}`,
  );
}

const NAMES = {
  signingKeys: 'signing key',
  clientSecrets: 'client secret',
  webhookSecrets: 'webhook secret',
  providerSecrets: 'secret of an identity provider',
  totpKeys: 'key of an authenticator app',
} as const satisfies Partial<Record<keyof SecretUse, string>>;

/** A SQLite store may have run without GATEHOUSE_SECRET before: then its secret is in the file. */
function besideDatabase(database: Config['database']): string {
  return database.kind === 'sqlite' ? `, where old may be what ${secretFileOf(database.path)} holds` : '';
}

function count(number: number, what: string): string {
  if (number === 0) return '';
  return `${number} ${number === 1 ? what : what.replace(/^((?:key|secret)(?= of)|.*$)/, '$1s')}`;
}
