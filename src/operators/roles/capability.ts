import { capability, from, placeOf } from '../../capability.ts';
import { storePart } from '../../platform/store/late-part.ts';
import { operationsOf } from '../api/operation-table.ts';
import type { Operators } from './store.ts';
import { operatorTables } from './tables.ts';

/** Operators: users with a role. */
export const roles = capability('operators/roles', {
  nouns: { operators: { order: 40, summary: 'list, add, change and remove operators' } },
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/operators': { GET: 'listOperators', POST: 'addOperator' },
      '/operators/{sub}': { GET: 'getOperator', PATCH: 'updateOperator', DELETE: 'removeOperator' },
    }).onCommandLine('operators', {
      list: { operation: 'listOperators' },
      add: { operation: 'addOperator', arguments: ['username'], example: 'alice --role owner' },
      update: { operation: 'updateOperator', arguments: ['sub'], example: 'SUB --role auditor' },
      remove: { operation: 'removeOperator', arguments: ['sub'] },
    }),
  ],
  console: {
    '/console/operators': from(() => import('./console.ts'), 'operators'),
    '/console/operators/{sub}': from(() => import('./operator.console.ts'), 'operator'),
  },
  tables: operatorTables,
  store: [
    storePart<Operators>(
      {
        findApiKey: true,
        noteApiKeyUse: true,
        listApiKeys: true,
        changeApiKey: true,
        findOperator: true,
        listOperators: true,
        changeOperator: true,
      },
      async () => (await import('./queries.ts')).coldOperators,
    ),
  ],
  places: {
    operators: placeOf('/console/operators', 70, 'listOperators', () => import('./console.text.ts'), 'operatorsPlace', {
      group: 'deployment',
      icon: 'operators',
    }),
  },
});
