import { describe } from 'node:test';
import { accountsContract } from './accounts-and-sessions.ts';
import { codesContract } from './codes.ts';
import { consentsContract } from './consents.ts';
import type { OpenStore } from './given.ts';
import { historiesContract } from './histories.ts';
import { isolationContract } from './isolation.ts';
import { logoutNoticesContract } from './logout-notices.ts';
import { purgeContract } from './purge.ts';
import { refreshContract } from './refresh.ts';
import { refreshFamiliesContract } from './refresh-families.ts';
import { registryContract } from './registry.ts';
import { revocationContract } from './revocation.ts';
import { sessionEndContract } from './session-end.ts';
import { signingKeysContract } from './signing-keys.ts';
import { userAccessContract } from './user-access.ts';

/** Everything src/store/store.ts promises. Each store runs all of it; nothing in it knows which store it is. */
export function storeContract(name: string, open: OpenStore): void {
  describe(`the store contract on ${name}`, () => {
    registryContract(open);
    signingKeysContract(open);
    accountsContract(open);
    sessionEndContract(open);
    userAccessContract(open);
    consentsContract(open);
    logoutNoticesContract(open);
    codesContract(open);
    refreshContract(open);
    refreshFamiliesContract(open);
    historiesContract(open);
    revocationContract(open);
    isolationContract(open);
    purgeContract(open);
  });
}
