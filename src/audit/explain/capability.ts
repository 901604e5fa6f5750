import { capability, from } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';

/** Why a request was refused, in words, with what would mend it. */
export const explain = capability('audit/explain', {
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/refusals/{request_id}': { GET: 'getRefusal' },
    }),
  ],
  searches: { requests: from(() => import('./search.console.ts'), 'requestSearch') },
  console: {
    '/console/refusals/{request_id}': from(() => import('./console.ts'), 'refusal'),
  },
});
