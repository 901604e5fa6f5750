import type { Config } from '../config.ts';
import type { Store } from '../store/store.ts';
import type { KeyRing } from './key-ring.ts';
import { SecretFault, secretFileOf } from './secret-file.ts';

/**
 * Checks at the start that the secrets open every signing key and webhook secret and verify every client secret in the store. Without
 * this check the server would start and fail later: at the first signature, or at the first client authentication.
 */
export async function checkSecrets({ database, secrets }: Config, store: Store, ring: KeyRing): Promise<void> {
  const unknown = (await store.secretsInUse()).filter(({ id }) => !ring.hasSecret(id));
  if (unknown.length === 0) return;
  const signingKeys = unknown.reduce((sum, each) => sum + each.signingKeys, 0);
  const clientSecrets = unknown.reduce((sum, each) => sum + each.clientSecrets, 0);
  const webhookSecrets = unknown.reduce((sum, each) => sum + each.webhookSecrets, 0);
  const parts = [
    count(signingKeys, 'signing key'),
    count(clientSecrets, 'client secret'),
    count(webhookSecrets, 'webhook secret'),
  ].filter(part => part !== '');
  const total = signingKeys + clientSecrets + webhookSecrets;
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

/** A SQLite store may have run without GATEHOUSE_SECRET before: then its secret is in the file. */
function besideDatabase(database: Config['database']): string {
  return database.kind === 'sqlite' ? `, where old may be what ${secretFileOf(database.path)} holds` : '';
}

function count(number: number, what: string): string {
  return number === 0 ? '' : `${number} ${what}${number === 1 ? '' : 's'}`;
}
