import { basic, redeem, refresh, token } from '../../../build/client.ts';
import { aClient, anApplication, type ProviderInput } from '../../../build/fixture.ts';
import { answerIn, signIn, Visitor } from '../../../build/visitor.ts';
import { BIND, entry, openHostileDirectory, result, SEARCH } from '../../../people/ldap/hostile-directory.ts';
import type { Case, World } from './world.ts';

const AT_STAFF = { app: 'staff', client: 'desk' } as const;
const SENDING = { auth: basic('desk', 'web-secret-1') };
const PERSON = { uid: 'sam', cn: 'Sam', entryUUID: '5e3d0a1c-0000-4000-8000-000000000001' };

/** What a directory says of the name, and of the password. */
interface Answers {
  readonly entries?: number;
  readonly bind?: number;
  readonly search?: number;
}

let count = 0;

/** With a directory of its own: what fails is left alone for a while. */
async function withDirectory<T>(
  world: World,
  answers: Answers | undefined,
  over: Partial<ProviderInput>,
  act: (change: (after: Answers) => void) => Promise<T>,
): Promise<T> {
  let now = answers;
  const directory = await openHostileDirectory(({ id, tag }) => {
    if (tag === BIND) return result(id, 0x61, now?.bind ?? 0);
    if (tag !== SEARCH) return undefined;
    const found = Array.from({ length: now?.entries ?? 1 }, (_, n) => entry(id, `uid=sam${n},dc=corp`, PERSON));
    return Buffer.concat([...found, result(id, 0x65, now?.search ?? 0)]);
  });
  if (!answers) await directory.close();
  const id = `staff-${++count}`;
  await world.server.provision({
    providers: [{ id, type: 'ldap', url: directory.url, search_base: 'dc=corp', ...over }],
    applications: [
      anApplication({ code: 'staff', name: 'Staff', clients: [aClient({ client_id: 'desk' })], providers: [id] }),
    ],
  });
  try {
    return await act(after => {
      now = after;
    });
  } finally {
    if (answers) await directory.close();
  }
}

const typed = (world: World, visitor?: Visitor) =>
  signIn(world.server, { client_id: 'desk' }, { username: 'sam', app: 'staff', ...(visitor && { visitor }) });

const refusedBy =
  (answers: Answers | undefined, over: Partial<ProviderInput> = {}) =>
  (world: World) =>
    withDirectory(world, answers, over, () => typed(world));

/** What directories refuse, and what is refused of their people. */
export const directoryCases: readonly Case[] = [
  {
    row: 'providerUnavailable',
    name: 'a directory that does not answer',
    refuse: refusedBy(undefined),
    ...AT_STAFF,
    kinds: ['providerUnavailable'],
    difference: /Nobody answers at its address/,
    failed: 'directory asked',
  },
  {
    row: 'providerUnavailable',
    name: 'the same for the password grant',
    refuse: world =>
      withDirectory(world, undefined, {}, () =>
        token(world.server, { grant_type: 'password', username: 'sam', password: 'x' }, SENDING, 'staff'),
      ),
    ...AT_STAFF,
    kinds: ['providerUnavailable'],
    failed: 'grant checked',
  },
  {
    row: 'providerRefused',
    name: 'a directory that refuses this server',
    refuse: refusedBy({ bind: 49 }, { bind_dn: 'cn=gatehouse', bind_password: 'old' }),
    ...AT_STAFF,
    kinds: ['providerRefused'],
    difference: /ind_dn and bind_password were refused \(invalidCredentials\)/,
    failed: 'directory asked',
  },
  {
    row: 'providerAnswerInvalid',
    name: 'a directory that finds two people for one name',
    refuse: refusedBy({ entries: 2 }),
    ...AT_STAFF,
    kinds: ['providerAnswerInvalid'],
    difference: /several entries/i,
    failed: 'directory asked',
  },
  {
    row: 'credentialsWrong',
    name: 'a password that a directory refuses',
    refuse: refusedBy({ bind: 49 }),
    ...AT_STAFF,
    kinds: ['provider'],
    difference: /invalidCredentials/,
    failed: 'password checked',
  },
  {
    row: 'providerPersonRefused',
    name: 'a person without an account, where none is created',
    refuse: async world => {
      const visitor = new Visitor(world.server.base);
      return withDirectory(world, {}, { create_users: false }, async () => {
        let refused: { readonly headers: Headers } | undefined;
        const follow = visitor.go.bind(visitor);
        visitor.go = async (...args) => {
          const seen = await follow(...args);
          if (args[1]?.method === 'POST') refused = seen;
          return seen;
        };
        const last = await typed(world, visitor);
        return refused ?? last;
      });
    },
    ...AT_STAFF,
    kinds: ['unknownPerson'],
    difference: /create_users: false/,
    failed: 'account found',
  },
  {
    row: 'refreshPersonGone',
    name: 'a refresh for a person who is gone in the directory',
    refuse: world =>
      withDirectory(world, {}, { recheck: 60 }, async change => {
        const { code } = answerIn(await typed(world));
        const { json } = await redeem(world.server, code, {}, SENDING, 'staff');
        change({ entries: 0 });
        world.clock.advance(60);
        return refresh(world.server, json.refresh_token, {}, SENDING, 'staff');
      }),
    ...AT_STAFF,
    kinds: ['person-gone'],
    difference: /does not have this person any more/,
    failed: 'grant checked',
  },
];
