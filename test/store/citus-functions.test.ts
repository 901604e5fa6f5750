/**
 * The functions that run on a worker of Citus are PL/pgSQL, and a PostgreSQL without Citus runs them too, as if it were the worker. So
 * what is issued, redeemed, rotated, looked up and revoked by them is held to the contract with every `npm test`; that a cluster sends
 * them to the right worker is tested by `npm run test:citus`.
 */
import { after, describe } from 'node:test';
import { delegatedFunctions } from '../../src/store/postgres/citus/functions.ts';
import { codes } from '../../src/store/postgres/codes.ts';
import { connectDatabase, type Database } from '../../src/store/postgres/connection/database.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { refreshTokens } from '../../src/store/postgres/refresh-tokens.ts';
import { Partitions } from '../../src/store/postgres/schema/partitions.ts';
import { tokens } from '../../src/store/postgres/tokens.ts';
import type { Store } from '../../src/store/store.ts';
import { createMigratedDatabase, stopOwnServer } from '../build/postgres.ts';
import { clientTokensContract } from './contract/client-tokens.ts';
import { codesContract } from './contract/codes.ts';
import type { OpenStore } from './contract/given.ts';
import { historiesContract } from './contract/histories.ts';
import { isolationContract } from './contract/isolation.ts';
import { refreshFamiliesContract } from './contract/refresh-families.ts';
import { refreshTokensContract } from './contract/refresh-tokens.ts';
import { tokenExchangesContract } from './contract/token-exchanges.ts';
import { tokensContract } from './contract/tokens.ts';

after(stopOwnServer);

const TIMEOUT_MS = 30_000;

const open: OpenStore = async () => {
  const database = await createMigratedDatabase();
  for (const { create } of delegatedFunctions) await database.query(create);
  const stores: Store[] = [];
  const databases: Database[] = [];
  const another = async () => {
    const plain = await openPostgresStore({ hosts: [database.url] }, { timeoutMs: TIMEOUT_MS });
    stores.push(plain);
    const db = connectDatabase([database.url], TIMEOUT_MS, true);
    databases.push(db);
    const partitions = new Partitions(db.hosts);
    return { ...plain, ...codes(db, partitions), ...tokens(db, partitions), ...refreshTokens(db, partitions) };
  };
  const discard = async () => {
    await Promise.all([...stores, ...databases].map(each => each.close()));
    await database.drop();
  };
  return { store: await another(), url: database.url, another, discard };
};

describe('the functions for workers of Citus, on PostgreSQL', () => {
  codesContract(open);
  refreshTokensContract(open);
  refreshFamiliesContract(open);
  historiesContract(open);
  tokensContract(open);
  clientTokensContract(open);
  tokenExchangesContract(open);
  isolationContract(open);
});
