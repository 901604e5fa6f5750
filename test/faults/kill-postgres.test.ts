import { postgresIsKilled } from './kill-postgres.ts';

postgresIsKilled(1);
