import { nodesAreKilled } from '../faults/kill-node.ts';

nodesAreKilled(20);
