import { capability, from } from '../../capability.ts';
import { pageOf } from '../../platform/http/route.ts';
import { agentTables } from './tables.ts';

/**
 * Agents: clients that act by themselves, such as assistants (`client_type: agent`), and for which an owner answers. Their tokens say that
 * they act (`act`, RFC 8693), and their owner sees at /account/agents what they may, and stops them.
 */
export const agents = capability('people/agents', {
  routes: [pageOf('/account/agents', () => import('./page.ts'), 'showAgents', 'submitAgents')],
  fields: from(() => import('./fields.ts'), 'agentFields'),
  controls: { owner: from(() => import('./form.console.ts'), 'ownerControl') },
  tables: agentTables,
});
