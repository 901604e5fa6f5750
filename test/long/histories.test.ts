import { after } from 'node:test';
import { stopOwnServer } from '../build/postgres.ts';
import { historiesContract } from '../store/contract/histories.ts';
import { openPostgresDatabase } from '../store/postgres-database.ts';
import { openSqliteFile } from '../store/sqlite-file.ts';

/** Many times those of `npm test`. */
const HISTORIES = 200;

historiesContract(openSqliteFile, HISTORIES);
historiesContract(openPostgresDatabase, HISTORIES);
after(stopOwnServer);
