import { sqliteServerIsKilled } from '../faults/sqlite-kill.ts';

sqliteServerIsKilled(20);
