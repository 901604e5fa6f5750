import { listEvents } from '../../audit/events/operations.ts';
import { listRefusalGroups } from '../../audit/refusals/operations.ts';
import { getStatistics } from '../../audit/statistics/operations.ts';
import { listApplications } from '../../directory/applications/operations.ts';
import { listUsers } from '../../directory/users/operations.ts';
import { listWebhooks } from '../../notify/webhooks/operations.ts';
import type { AnyOperation } from '../api/operation-table.ts';
import { getStatus } from '../overview/operations.ts';
import { listOperators } from '../roles/operations.ts';

/** The rail: the address of each place, and the operation that its page begins with. An operator who may not run it may not open it. */
export const places = {
  overview: { path: '/console', needs: getStatistics },
  applications: { path: '/console/applications', needs: listApplications },
  users: { path: '/console/users', needs: listUsers },
  activity: { path: '/console/activity', needs: listEvents },
  refusals: { path: '/console/refusals', needs: listRefusalGroups },
  webhooks: { path: '/console/webhooks', needs: listWebhooks },
  operators: { path: '/console/operators', needs: listOperators },
  settings: { path: '/console/settings', needs: getStatus },
} as const satisfies Readonly<Record<string, { readonly path: string; readonly needs: AnyOperation }>>;
export type Place = keyof typeof places;
