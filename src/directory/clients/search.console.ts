import { type ConsoleSearch, MAX_HITS } from '../../operators/console-frame/search.ts';
import { clientsTitle } from './console.text.ts';
import { clientPath } from './frame.console.ts';
import { type FoundClientView, searchClients } from './search.operations.ts';

/** Clients in the search of the console, of whatever application. */
export const clientSearch: ConsoleSearch = {
  title: clientsTitle,
  find: async ({ perform }, q) => {
    const query = { q, limit: String(MAX_HITS) };
    const found = await perform<{ items: FoundClientView[] }>(searchClients, { params: {}, query });
    if (found.kind !== 'done') return [];
    return found.value.items.map(({ application, client_id, client_name }) => ({
      path: clientPath(application, client_id),
      title: client_name,
      about: client_name === client_id ? application : `${client_id} · ${application}`,
      icon: 'client',
    }));
  },
};
