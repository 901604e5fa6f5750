import assert from 'node:assert/strict';
import { aTokenSet, basic, refresh, token } from '../../../build/client.ts';
import { aWaitingDevice, decide, pollFor } from '../../../build/device.ts';
import { PASSWORD } from '../../../build/fixture.ts';
import { press } from '../../../build/people.ts';
import { authorizationUrl, signIn, Visitor } from '../../../build/visitor.ts';
import type { Case, World } from './world.ts';

const INSIDE = { client_id: 'inside' };
const SENDING = { auth: basic('inside', 'web-secret-1') };
const AT_INTRANET = { app: 'intranet', client: 'inside', kinds: ['no-access'] } as const;
const EXPECTED = /in the group staff or board, or with the role admin at intranet, or among the 1 listed by name/;

export async function setGroups({ services }: World, username: string, groups: readonly string[] | null) {
  const { sub = '' } = (await services.store.findAccount(username)) ?? {};
  await services.store.provision([{ kind: 'user', sub, profile: { groups }, now: services.clock.now() }]);
}

/** What applications refuse that admit some of the users only. */
export const accessCases: readonly Case[] = [
  {
    row: 'userNotAllowed',
    name: 'a user whom the application does not admit goes back to the client',
    refuse: async ({ server }) => {
      const visitor = new Visitor(server.base);
      const page = await signIn(server, INSIDE, { visitor, username: 'bob', app: 'intranet' });
      return press(visitor, page, 'back');
    },
    ...AT_INTRANET,
    expected: EXPECTED,
    failed: 'user admitted',
  },
  {
    row: 'userNotAllowed',
    name: 'prompt=none for a user whom the application does not admit',
    refuse: async ({ server }) => {
      const visitor = new Visitor(server.base);
      await signIn(server, {}, { visitor, username: 'bob' });
      return visitor.go(authorizationUrl(server, { ...INSIDE, prompt: 'none' }, 'intranet'));
    },
    ...AT_INTRANET,
    fix: /Give the user one of the groups or roles/,
    failed: 'user admitted',
  },
  {
    row: 'passwordUserNotAllowed',
    name: 'the password grant of a user whom the application does not admit',
    refuse: ({ server }) =>
      token(server, { grant_type: 'password', username: 'bob', password: PASSWORD }, SENDING, 'intranet'),
    ...AT_INTRANET,
    expected: EXPECTED,
    difference: /The password is right/,
    failed: 'grant checked',
  },
  {
    row: 'refreshUserNotAllowed',
    name: 'a refresh after the access was withdrawn',
    refuse: async world => {
      const { server } = world;
      await setGroups(world, 'bob', ['board']);
      const { refresh_token } = await aTokenSet(server, { username: 'bob' }, SENDING, 'intranet');
      assert(refresh_token);
      await setGroups(world, 'bob', null);
      return refresh(server, refresh_token, {}, SENDING, 'intranet');
    },
    ...AT_INTRANET,
    difference: /has lost the access/,
    failed: 'grant checked',
  },
  {
    row: 'deviceUserNotAllowed',
    name: 'a device whose user has lost the access since the approval',
    refuse: async world => {
      const { server } = world;
      await setGroups(world, 'bob', ['board']);
      const device = await aWaitingDevice(server, {}, {}, 'intranet');
      await decide(server, device.user_code, 'allow', undefined, 'bob');
      await setGroups(world, 'bob', null);
      return pollFor(server, device, {}, {}, 'intranet');
    },
    ...{ ...AT_INTRANET, client: 'tv' },
    expected: EXPECTED,
    difference: /Its user has lost the access/,
    failed: 'grant checked',
  },
];
