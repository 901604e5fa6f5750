import { credentialsRace } from './races.ts';

credentialsRace(40);
