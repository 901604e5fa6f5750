/** For each address that anybody can reach: an honest request, and the most expensive ones that were thought of. */
import type { Endpoint } from './case.ts';
import { documents } from './documents.ts';
import { people } from './people.ts';
import { protocol } from './protocol.ts';

export const endpoints: readonly Endpoint[] = [...protocol, ...people, ...documents];
