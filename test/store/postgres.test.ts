import { after } from 'node:test';
import { stopOwnServer } from '../build/postgres.ts';
import { storeContract } from './contract/store-contract.ts';
import { openPostgresDatabase } from './postgres-database.ts';

after(stopOwnServer);

storeContract('PostgreSQL', openPostgresDatabase);
