import { after } from 'node:test';
import { stopOwnServer } from '../build/postgres.ts';
import { accountsContract } from './contract/store-contract.ts';
import { openPostgresDatabase } from './postgres-database.ts';
import { recycled } from './recycled-stores.ts';

const open = recycled(openPostgresDatabase);
after(stopOwnServer);

accountsContract('PostgreSQL', open);
