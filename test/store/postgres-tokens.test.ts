import { after } from 'node:test';
import { stopOwnServer } from '../build/postgres.ts';
import { tokensAndRecordsContract } from './contract/store-contract.ts';
import { openPostgresDatabase } from './postgres-database.ts';

after(stopOwnServer);

tokensAndRecordsContract('PostgreSQL', openPostgresDatabase);
