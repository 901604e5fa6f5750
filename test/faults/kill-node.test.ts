import { nodesAreKilled } from './kill-node.ts';

nodesAreKilled(2);
