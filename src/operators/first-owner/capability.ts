import { capability } from '../../capability.ts';
import { pageOf } from '../../platform/http/route.ts';
import { firstOwnerTables } from './tables.ts';

/** The first owner of a deployment: /first-owner, by the link that the server prints. */
export const firstOwner = capability('operators/first-owner', {
  routes: [pageOf('/first-owner', () => import('./page.ts'), 'showFirstOwner', 'submitFirstOwner')],
  tables: firstOwnerTables,
});
