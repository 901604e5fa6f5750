import { type ConsoleSearch, MAX_HITS } from '../../operators/console-frame/search.ts';
import { applicationsPlace } from './console.text.ts';
import { listApplications } from './operations.ts';

interface Row {
  readonly code: string;
  readonly name: string;
}

/** Applications in the search of the console. */
export const applicationSearch: ConsoleSearch = {
  title: applicationsPlace,
  find: async ({ perform }, q) => {
    const found = await perform<{ items: Row[] }>(listApplications, {
      params: {},
      query: { q, limit: String(MAX_HITS) },
    });
    if (found.kind !== 'done') return [];
    return found.value.items.map(({ code, name }) => ({
      path: `/console/applications/${encodeURIComponent(code)}`,
      title: name,
      about: code,
      icon: 'applications',
    }));
  },
};
