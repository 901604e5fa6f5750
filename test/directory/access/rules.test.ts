import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupsOf, mayEnter, rolesAt } from '../../../src/directory/access/rules.ts';
import { fc } from '../../build/random.ts';

const names = ['staff', 'sales', 'constructor', 'Staff'];
const list = fc.subarray(names);
const membership = fc.option(
  fc.record({
    groups: fc.option(list, { nil: undefined }),
    roles: fc.option(fc.dictionary(fc.constantFrom('shop', 'bank', '*', 'constructor'), list), { nil: undefined }),
  }),
  { nil: undefined },
);
const app = fc.constantFrom('shop', 'bank', 'constructor', 'tostring');

describe('groups and roles of users (modern contract)', () => {
  it('the roles at an application are its own and those at every application, each once', () => {
    fc.assert(
      fc.property(app, membership, (code, held) => {
        const roles = rolesAt(code, { membership: held });
        const byKey = new Map(Object.entries(held?.roles ?? {}));
        assert.deepEqual(new Set(roles), new Set([...(byKey.get(code) ?? []), ...(byKey.get('*') ?? [])]));
        assert.equal(new Set(roles).size, roles.length);
      }),
    );
  });

  it('access admits exactly who is in one of the lists', () => {
    const lists = fc.record({ groups: list, roles: list, users: fc.subarray(['alice', 'bob']) });
    const username = fc.constantFrom('alice', 'ALICE', 'bob ', 'carol');
    fc.assert(
      fc.property(app, lists, membership, username, (code, access, held, name) => {
        const user = { username: name, membership: held };
        const expected =
          access.groups.some(group => groupsOf(user).includes(group)) ||
          access.roles.some(role => rolesAt(code, user).includes(role)) ||
          access.users.includes(name.trim().toLowerCase());
        assert.equal(mayEnter({ code, access }, user), expected);
        assert(mayEnter({ code, access: 'everybody' }, user));
        assert(mayEnter({ code }, user));
      }),
    );
  });

  it('names of groups and roles are compared character by character', () => {
    const access = { groups: ['Staff'], roles: ['Admin'], users: [] };
    const user = { username: 'alice', membership: { groups: ['staff'], roles: { shop: ['admin'] } } };
    assert.equal(mayEnter({ code: 'shop', access }, user), false);
  });
});
