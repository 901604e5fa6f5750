import { describe } from 'node:test';
import { applicationsContract } from './applications.ts';
import { codesContract } from './codes.ts';
import { consentsContract } from './consents.ts';
import { eventsContract } from './events.ts';
import type { OpenStore } from './given.ts';
import { historiesContract } from './histories.ts';
import { importUsersContract } from './import-users.ts';
import { isolationContract } from './isolation.ts';
import { provisioningContract } from './provisioning.ts';
import { purgeContract } from './purge.ts';
import { queueContract } from './queue.ts';
import { refreshFamiliesContract } from './refresh-families.ts';
import { refreshTokensContract } from './refresh-tokens.ts';
import { refusalsContract } from './refusals.ts';
import { removalsContract } from './removals.ts';
import { sessionEndContract } from './session-end.ts';
import { sessionReplacedContract } from './session-replaced.ts';
import { sessionsContract } from './sessions.ts';
import { signingKeysContract } from './signing-keys.ts';
import { tokensContract } from './tokens.ts';
import { userAccessContract } from './user-access.ts';
import { userAdministrationContract } from './user-administration.ts';
import { userChangesContract } from './user-changes.ts';
import { userHoldingsContract } from './user-holdings.ts';
import { usersContract } from './users.ts';

/** Everything src/store/store.ts promises. Each store runs all of it; nothing in it knows which store it is. */
export function storeContract(name: string, open: OpenStore): void {
  describe(`the store contract on ${name}`, () => {
    applicationsContract(open);
    provisioningContract(open);
    removalsContract(open);
    signingKeysContract(open);
    usersContract(open);
    sessionsContract(open);
    sessionEndContract(open);
    sessionReplacedContract(open);
    userAccessContract(open);
    userChangesContract(open);
    userAdministrationContract(open);
    userHoldingsContract(open);
    importUsersContract(open);
    consentsContract(open);
    queueContract(open);
    codesContract(open);
    refreshTokensContract(open);
    refreshFamiliesContract(open);
    historiesContract(open);
    tokensContract(open);
    isolationContract(open);
    refusalsContract(open);
    purgeContract(open);
    eventsContract(open);
  });
}
