import type { ConsoleContext } from '../../operators/console-frame/page.ts';
import { type ConsoleSearch, MAX_HITS, type SearchHit } from '../../operators/console-frame/search.ts';
import { usersPlace } from './console.text.ts';
import { type UserRow, userPath } from './console.ts';
import { getUser, listUsers } from './operations.ts';

/** Users in the search of the console: by their names, and by their whole identifier. */
export const userSearch: ConsoleSearch = {
  title: usersPlace,
  find: async (context, text) => {
    const [exact, named] = await Promise.all([withSub(context, text), withName(context, text)]);
    return [...exact, ...named].map(hitOf);
  },
};

async function withName({ perform }: ConsoleContext, q: string): Promise<readonly UserRow[]> {
  const query = { q, limit: String(MAX_HITS) };
  const found = await perform<{ items: UserRow[] }>(listUsers, { params: {}, query });
  return found.kind === 'done' ? found.value.items : [];
}

async function withSub({ perform }: ConsoleContext, sub: string): Promise<readonly UserRow[]> {
  const found = await perform<UserRow>(getUser, { params: { sub } });
  return found.kind === 'done' ? [found.value] : [];
}

function hitOf({ sub, username, name, email }: UserRow): SearchHit {
  const others = [name === undefined ? undefined : username, email === username ? undefined : email];
  const about = others.filter(each => each !== undefined).join(' · ');
  return { path: userPath(sub), title: name ?? username, about, icon: 'users', isPerson: true };
}
