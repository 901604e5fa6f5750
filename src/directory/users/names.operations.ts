import { z } from 'zod';
import { operation } from '../../operators/api/operation.ts';
import { done } from '../../operators/api/outcome.ts';

const named = z.object({ sub: z.string(), username: z.string(), name: z.string().optional() });
export type NamedUser = z.output<typeof named>;

/** Of one page: who acted, and to whom something was done. */
const MAX_SUBS = 400;

/** For lists of the console that hold identifiers of users. It has no address in the admin API, which has GET /users/{sub}. */
export const nameUsers = operation({
  summary: 'Name the users with these identifiers.',
  role: 'auditor',
  reach: 'deployment',
  body: z.strictObject({ subs: z.array(z.string()).max(MAX_SUBS) }),
  result: z.object({ items: z.array(named) }),
  async run({ services }, { body: { subs } }) {
    const users = subs.length === 0 ? [] : await services.store.findUsers(subs);
    const items = users.map(({ sub, username, standardClaims }) => {
      const name = standardClaims?.name;
      return { sub, username, ...(name === undefined ? {} : { name }) };
    });
    return done({ items });
  },
});
