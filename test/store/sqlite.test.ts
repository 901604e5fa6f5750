import { accountsContract, tokensAndRecordsContract } from './contract/store-contract.ts';
import { openSqliteFile } from './sqlite-file.ts';

accountsContract('SQLite', openSqliteFile);
tokensAndRecordsContract('SQLite', openSqliteFile);
