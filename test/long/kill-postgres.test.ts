import { postgresIsKilled } from '../faults/kill-postgres.ts';

postgresIsKilled(5);
