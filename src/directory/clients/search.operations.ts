import { z } from 'zod';
import { operation } from '../../operators/api/operation.ts';
import { done } from '../../operators/api/outcome.ts';

const found = z.object({ application: z.string(), client_id: z.string(), client_name: z.string() });
export type FoundClientView = z.output<typeof found>;

/** For the search of the console. It has no address in the admin API, whose lists are of one application each. */
export const searchClients = operation({
  summary: 'Find clients of all applications by a part of their identifier or name.',
  role: 'auditor',
  reach: 'filtered',
  query: z.strictObject({ q: z.string().min(1).max(255), limit: z.coerce.number().int().min(1).max(50) }),
  result: z.object({ items: z.array(found) }),
  async run({ services, caller }, { query: { q, limit } }) {
    const clients = await services.store.searchClients({ text: q, among: caller.applications, limit });
    const items = clients.map(({ app, client: { client_id, client_name } }) => ({
      application: app,
      client_id,
      client_name: client_name ?? client_id,
    }));
    return done({ items });
  },
});
