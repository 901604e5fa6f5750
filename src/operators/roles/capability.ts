import { capability, from } from '../../capability.ts';
import { operationsOf } from '../api/operation-table.ts';
import { operatorTables } from './tables.ts';

/** Operators: users with a role. */
export const roles = capability('operators/roles', {
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/operators': { GET: 'listOperators', POST: 'addOperator' },
      '/operators/{sub}': { GET: 'getOperator', PATCH: 'updateOperator', DELETE: 'removeOperator' },
    }),
  ],
  console: {
    '/console/operators': from(() => import('./console.ts'), 'operators'),
    '/console/operators/{sub}': from(() => import('./operator.console.ts'), 'operator'),
  },
  tables: operatorTables,
});
