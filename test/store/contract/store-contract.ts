import { describe } from 'node:test';
import { accountsContract } from './accounts-and-sessions.ts';
import { codesContract } from './codes.ts';
import type { OpenStore } from './given.ts';
import { isolationContract } from './isolation.ts';
import { purgeContract } from './purge.ts';
import { refreshContract } from './refresh.ts';
import { registryContract } from './registry.ts';

/** Everything src/store/store.ts promises. Each store runs all of it; nothing in it knows which store it is. */
export function storeContract(name: string, open: OpenStore): void {
  describe(`the store contract on ${name}`, () => {
    registryContract(open);
    accountsContract(open);
    codesContract(open);
    refreshContract(open);
    isolationContract(open);
    purgeContract(open);
  });
}
