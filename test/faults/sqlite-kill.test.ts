import { sqliteServerIsKilled } from './sqlite-kill.ts';

sqliteServerIsKilled(2);
