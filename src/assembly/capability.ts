import { capability, from } from '../capability.ts';
import { healthz, metrics, readyz } from '../platform/http/health.ts';
import { forPrograms, latePage, noBody, page } from '../platform/http/route.ts';
import { singleUseTables } from '../platform/single-use/tables.ts';
import { ownTables } from '../platform/store/tables.ts';
import { throttleTables } from '../platform/throttle/tables.ts';

const documents = () => import('./document-routes.ts');
const errorIndex = { GET: noBody(latePage(documents, 'errorIndex')) };

/** What every process answers beside its capabilities: health, metrics, static files, and the reference of errors at /docs/errors. */
export const everyProcess = capability('assembly', {
  routes: [
    page('/assets/{file}', { GET: noBody(latePage(documents, 'asset')) }, '/assets/'),
    page('/docs/errors', errorIndex),
    page('/docs/errors/', errorIndex, '/docs/errors'),
    page('/docs/errors/{error}', { GET: noBody(latePage(documents, 'errorReference')) }, '/docs/errors'),
    forPrograms('/healthz', { GET: noBody(healthz) }),
    forPrograms('/readyz', { GET: noBody(readyz) }),
    forPrograms('/metrics', { GET: noBody(metrics) }),
  ],
  jobs: [
    {
      name: 'purge',
      everyMs: 60_000,
      runs: 'once on a machine',
      load: from(() => import('../platform/jobs/purge.ts'), 'purge'),
    },
    {
      name: 'nodes',
      everyMs: 60_000,
      runs: 'once on a machine',
      load: from(() => import('../platform/jobs/nodes.ts'), 'signOfLife'),
    },
    {
      name: 'waiting',
      everyMs: 15_000,
      runs: 'once on a machine',
      load: from(() => import('../platform/jobs/waiting.ts'), 'countWaiting'),
    },
  ],
  tables: [...singleUseTables, ...throttleTables, ...ownTables],
});
