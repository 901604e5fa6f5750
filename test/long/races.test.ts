import { credentialsRace } from '../faults/races.ts';

credentialsRace(2000);
