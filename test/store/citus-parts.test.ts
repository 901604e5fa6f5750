/** On a PostgreSQL without Citus, as test/store/citus-functions; test/citus/parts has a cluster. */
import { after } from 'node:test';
import { stopOwnServer } from '../build/postgres.ts';
import { openInCitusForms } from './citus-forms.ts';
import { partsContract } from './contract/parts-contract.ts';
import { recycled } from './recycled-stores.ts';

const open = recycled(openInCitusForms);
after(stopOwnServer);

partsContract(open);
