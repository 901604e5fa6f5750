import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { afterEach, beforeEach } from 'node:test';
import { openSqliteStore } from '../../../src/assembly/store.sqlite.ts';
import type { Application } from '../../../src/directory/applications/rules.ts';
import type { SigningAlg } from '../../../src/oauth/signing-keys/algorithms.rules.ts';
import { publishNextKey } from '../../../src/oauth/signing-keys/rotation.ts';
import { createSigner, type Signer } from '../../../src/oauth/signing-keys/signer.ts';
import { generateSystemKeyPair } from '../../../src/platform/crypto/key-pair.ts';
import { createKeyRing } from '../../../src/platform/crypto/key-ring.ts';
import { createLog } from '../../../src/platform/observe/log.ts';
import type { Store } from '../../../src/store.ts';
import { fixedClock } from '../../build/clock.ts';
import { application, client } from '../../store/contract/given.ts';
import { type TemporaryFolder, temporaryFolder } from '../../store/temporary-folder.ts';

export const SECRET = 'a secret of these tests, thirty-two bytes';
export const ring = (...secrets: string[]) => createKeyRing(secrets, { bytes: randomBytes });
export const algs = ['ES256', 'RS256', 'EdDSA'] as const;

/** Before each test of the suite: an application with a client for each algorithm, in a store of its own, without keys. */
export function useSigningKeys() {
  let folder: TemporaryFolder;
  let store: Store;
  let made: Application;
  let log = '';
  const stores: Store[] = [];
  const open = () => {
    const opened = openSqliteStore(folder.file('gatehouse.db'));
    stores.push(opened);
    return opened;
  };
  const depsOf = (
    of: Store = store,
    keys = ring(SECRET),
    clock = fixedClock(),
    generateKeyPair = generateSystemKeyPair,
  ) => ({
    store: of,
    clock,
    log: createLog('debug', false, line => {
      log += line;
    }),
    ring: keys,
    generateKeyPair,
  });
  const signer = (...args: Parameters<typeof depsOf>) => createSigner(depsOf(...args));
  beforeEach(async () => {
    folder = temporaryFolder();
    store = open();
    log = '';
    made = application();
    const app = made.code;
    await store.provision([
      { kind: 'application', application: made },
      ...algs.map(alg => {
        const registered = client({ client_id: alg, id_token_signed_response_alg: alg });
        return { kind: 'client', app, client: registered } as const;
      }),
    ]);
  });
  afterEach(async () => {
    for (const each of stores.splice(0)) await each.close();
    folder.remove();
  });
  return {
    get store() {
      return store;
    },
    get made() {
      return made;
    },
    get app() {
      return made.code;
    },
    /** Where the store has its files. */
    get place() {
      return dirname(folder.file('gatehouse.db'));
    },
    logged: () => log,
    /** The same file opened once more, as another process has it. */
    open,
    signer,
    /** Publishes a key, with a signer that does not know it before; returns that signer. */
    addKey: async (alg: SigningAlg, code = made.code): Promise<Signer> => {
      const own = signer();
      await publishNextKey({ ...depsOf(), signer: own }, code, alg);
      return own;
    },
  };
}
