import { type ConsoleSearch, MAX_HITS } from '../../operators/console-frame/search.ts';
import { providersPlace } from './console.text.ts';
import { type ProviderRow, providerPath } from './frame.console.ts';
import { listProviders } from './operations.ts';
import { MAX_PROVIDERS, providerName } from './rules.ts';

/** Identity providers in the search of the console. There are few: all of them are looked at. */
export const providerSearch: ConsoleSearch = {
  title: providersPlace,
  find: async ({ perform }, q) => {
    const found = await perform<{ items: readonly ProviderRow[] }>(listProviders, {
      params: {},
      query: { limit: String(MAX_PROVIDERS) },
    });
    if (found.kind !== 'done') return [];
    const wanted = q.toLowerCase();
    return found.value.items
      .map(provider => ({ id: provider.id, name: providerName(provider) }))
      .filter(({ id, name }) => [id, name].some(each => each.toLowerCase().includes(wanted)))
      .slice(0, MAX_HITS)
      .map(({ id, name }) => ({
        path: providerPath(id),
        title: name,
        ...(name === id ? {} : { about: id }),
        icon: 'providers' as const,
      }));
  },
};
