import { z } from 'zod';
import type { Event } from '../../audit/events/rules.ts';
import { operation } from '../../operators/api/operation.ts';
import { done, unknown } from '../../operators/api/outcome.ts';
import { isoTime, timeField } from '../../operators/api/times.ts';
import type { Services } from '../../services.ts';
import type { Provider } from './rules.ts';
import { type Sign, stateOf } from './state.rules.ts';
import { countLinkedPeople, countOnlyWays, offersOfApplications } from './use.queries.ts';

/** /provider_states: what comes of identity providers. Apart from /providers, whose ETag must not change with every sign-in. */

export const MAX_COUNTED = 100_000;
const counted = z.int().meta({ description: `Counted up to ${MAX_COUNTED}.` });

const view = z.object({
  id: z.string(),
  state: z.enum(['works', 'fails', 'unused']).meta({
    description: 'By the last sign-ins and trials. `unused`: none of the audit log tells.',
  }),
  since: timeField.optional().meta({ description: 'When it last worked, or since when it fails.' }),
  failures: z.int().optional().meta({ description: 'How many in a row, at most 100.' }),
  reason: z.string().optional().meta({ description: '`unavailable`, `refused` or `invalid`.' }),
  detail: z.string().optional().meta({ description: 'What the provider said, or which check failed.' }),
  applications: z.array(z.string()).meta({ description: 'The codes of the applications that offer it.' }),
  linked_users: counted,
});
export type ProviderStateView = z.output<typeof view>;

const wholeView = view.extend({
  only_way_of: counted.meta({
    description: 'How many of the linked users have no password, no passkey and no other provider.',
  }),
});
export type WholeProviderState = z.output<typeof wholeView>;

export const listProviderStates = operation({
  summary: 'List what comes of each identity provider: whether it works, who offers it, and how many people it has.',
  role: 'auditor',
  reach: 'deployment',
  result: z.object({ items: z.array(view), next: z.null() }),
  async run({ services }) {
    const providers = await services.store.listProviders();
    return done({ items: await statesOf(services, providers), next: null });
  },
});

export const getProviderState = operation({
  summary: 'Get what comes of one identity provider, and for how many people it is the only way to sign in.',
  role: 'auditor',
  reach: 'deployment',
  params: z.object({ id: z.string() }),
  result: wholeView,
  async run({ services }, { params: { id } }) {
    const found = (await services.store.listProviders()).filter(each => each.id === id);
    const [state] = await statesOf(services, found);
    if (!state) return unknown('provider');
    return done({ ...state, only_way_of: await countOnlyWays(services.store.cold, id, MAX_COUNTED) });
  },
});

/** Sign-ins that succeeded are found by their type; those of a provider that has not been used since so many others are not looked for. */
const SUCCESSES_READ = 500;
const FAILURES_READ = 100;
/** Events whose subject is the provider. */
const TOLD = ['provider.sign_in.failed', 'provider.tried', 'provider.created'];

async function statesOf(services: Services, providers: readonly Provider[]): Promise<ProviderStateView[]> {
  const { store } = services;
  if (providers.length === 0) return [];
  const [people, offers, succeeded] = await Promise.all([
    countLinkedPeople(store.cold, MAX_COUNTED),
    offersOfApplications(store.cold),
    store.listEvents({ types: ['provider.sign_in.succeeded'] }, { after: undefined, limit: SUCCESSES_READ }),
  ]);
  // Older failures may have been followed by a success that was not read.
  const oldest = succeeded.length < SUCCESSES_READ ? undefined : succeeded.at(-1)?.time;
  const stateFor = async (id: string) => {
    const own = succeeded.filter(({ details }) => details?.provider === id);
    const others = await store.listEvents(
      { user: id, types: TOLD, from: oldest },
      { after: undefined, limit: FAILURES_READ },
    );
    const all = [...own, ...others].toSorted(newestFirst);
    // Another provider had this id before.
    const made = all.findIndex(({ type }) => type === 'provider.created');
    return stateOf((made < 0 ? all : all.slice(0, made)).map(signOf));
  };
  return Promise.all(
    providers.map(async ({ id }) => {
      const { since, ...state } = { since: undefined, ...(await stateFor(id)) };
      return {
        id,
        ...state,
        ...(since === undefined ? {} : { since: isoTime(since) }),
        applications: offers.flatMap(([code, ids]) => (ids.includes(id) ? [code] : [])),
        linked_users: people.get(id) ?? 0,
      };
    }),
  );
}

/** The id begins with the time, and goes on with the order within a second. */
function newestFirst(one: Event, other: Event): number {
  return one.id < other.id ? 1 : -1;
}

function signOf({ time, outcome, details }: Event): Sign {
  if (outcome === 'success') return { time, reason: undefined, detail: undefined };
  const { reason = '', detail } = details ?? {};
  return { time, reason: String(reason), detail: detail === undefined ? undefined : String(detail) };
}
