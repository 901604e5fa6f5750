import { userPath } from '../../directory/users/console.ts';
import { type NamedUser, nameUsers } from '../../directory/users/names.operations.ts';
import { getUser, listUsers } from '../../directory/users/operations.ts';
import { listApiKeys } from '../../operators/api-keys/operations.ts';
import type { ConsoleContext } from '../../operators/console-frame/page.ts';
import { personInline } from '../../operators/console-frame/person.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { activityText } from './console.text.ts';
import type { Filters } from './filters.console.ts';
import type { EventView } from './operations.ts';

/** Who the identifiers of events belong to, as far as the operator may know: for one who is limited to applications, nobody has a name. */
export interface Names {
  readonly users: ReadonlyMap<string, NamedUser>;
  readonly apiKeys: ReadonlyMap<string, string>;
}

/** Those of the filters too, where a page has some. */
export async function namesIn(
  { perform }: ConsoleContext,
  events: readonly EventView[],
  { user, operator }: Filters = {},
): Promise<Names> {
  const mentioned = events.flatMap(event => [event.subject, personOf(event)]);
  const subs = new Set([...mentioned, user, operator].filter(id => id !== undefined));
  const hasKey = events.some(({ actor }) => actor.kind === 'api_key');
  const [users, keys] = await Promise.all([
    perform<{ items: NamedUser[] }>(nameUsers, { params: {}, body: { subs: [...subs] } }),
    hasKey
      ? perform<{ items: { id: string; name: string }[] }>(listApiKeys, { params: {}, query: { limit: '200' } })
      : undefined,
  ]);
  return {
    users: new Map(users.kind === 'done' ? users.value.items.map(user => [user.sub, user]) : []),
    apiKeys: new Map(keys?.kind === 'done' ? keys.value.items.map(({ id, name }) => [id, name]) : []),
  };
}

function personOf({ actor: { kind, id } }: EventView): string | undefined {
  return kind === 'user' || kind === 'operator' ? id : undefined;
}

/** Who acted: a person by name and face, anything else by what it is and its name or identifier. */
export function actorOf(locale: ConsoleContext['locale'], { users, apiKeys }: Names, { actor }: EventView): Html {
  const kind = activityText[locale].actors[actor.kind];
  if (actor.id === undefined) return html`${kind}`;
  const user = actor.kind === 'user' || actor.kind === 'operator' ? users.get(actor.id) : undefined;
  if (user) return personInline({ ...user, path: userPath(user.sub) });
  const key = apiKeys.get(actor.id);
  return html`${kind} ${key === undefined ? html`<code>${actor.id}</code>` : html`<span title="${actor.id}">${key}</span>`}`;
}

/** To whom it was done, where that is somebody else. */
export function subjectOf({ users }: Names, { actor, subject }: EventView): NamedUser | undefined {
  return subject === undefined || subject === actor.id ? undefined : users.get(subject);
}

/** As a person is typed into a filter: the identifier, or a login name, in whose place the identifier is asked for. */
export async function withSubs({ perform }: ConsoleContext, filters: Filters): Promise<Filters> {
  const subOf = async (typed: string): Promise<string> => {
    const exact = await perform(getUser, { params: { sub: typed } });
    if (exact.kind === 'done') return typed;
    const found = await perform<{ items: Login[] }>(listUsers, { params: {}, query: { q: typed, limit: '10' } });
    const wanted = typed.toLowerCase();
    const isMeant = ({ username, email }: Login) => [username, email].some(each => each?.toLowerCase() === wanted);
    return (found.kind === 'done' ? found.value.items.find(isMeant)?.sub : undefined) ?? typed;
  };
  const people = (['user', 'operator'] as const).flatMap(name => {
    const typed = filters[name];
    return typed === undefined ? [] : [subOf(typed).then(sub => [name, sub] as const)];
  });
  return { ...filters, ...Object.fromEntries(await Promise.all(people)) };
}

interface Login {
  readonly sub: string;
  readonly username: string;
  readonly email?: string;
}
