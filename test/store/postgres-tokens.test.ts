import { after } from 'node:test';
import { stopOwnServer } from '../build/postgres.ts';
import { tokensAndRecordsContract } from './contract/store-contract.ts';
import { openPostgresDatabase } from './postgres-database.ts';
import { recycled } from './recycled-stores.ts';

const open = recycled(openPostgresDatabase);
after(stopOwnServer);

tokensAndRecordsContract('PostgreSQL', open);
