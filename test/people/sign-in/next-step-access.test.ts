import { describe } from 'node:test';
import type { Access } from '../../../src/directory/access/rules.ts';
import { ALICE, BOB, HERE, OLD, OWN, PROVED, table } from './given.ts';

const STAFF: Access = { groups: ['staff'], roles: [], users: [] };
const MEMBER = { ...OLD, membership: { groups: ['staff'] } };

describe('who may enter an application (modern contract, RFC 6749 section 4.1.2.1)', () => {
  table([
    ['everybody', { session: OLD, access: 'everybody' }, 'done'],
    ['a member', { session: MEMBER, access: STAFF }, 'done'],
    ['another user', { session: OLD, access: STAFF }, 'no-access'],
    ['another user, with prompt=none', { session: OLD, access: STAFF, prompt: ['none'] }, 'access_denied'],
    ['a visitor is asked for the password first', { access: STAFF }, 'password'],
    ['a visitor, with prompt=none', { access: STAFF, prompt: ['none'] }, 'login_required'],
    ['a right password opens the session', { access: STAFF, progress: PROVED }, 'done'],
    ['just signed in', { session: OWN, access: STAFF, progress: HERE }, 'no-access'],
    ['has read the page', { session: OLD, access: STAFF, progress: { ...HERE, toldNoAccess: ALICE } }, 'access_denied'],
    [
      'another has read the page',
      { session: OLD, access: STAFF, progress: { ...HERE, toldNoAccess: BOB } },
      'no-access',
    ],
    ['admitted meanwhile', { session: MEMBER, access: STAFF, progress: { ...HERE, toldNoAccess: ALICE } }, 'done'],
    ['the second factor comes first', { session: { ...OLD, hasTotp: true }, access: STAFF }, 'totp'],
    ['before the consent', { session: OLD, access: STAFF, requireConsent: true }, 'no-access'],
    ['the consent of a member', { session: MEMBER, access: STAFF, requireConsent: true }, 'consent'],
    ['empty lists admit nobody', { session: MEMBER, access: { groups: [], roles: [], users: [] } }, 'no-access'],
    [
      'a role at this application',
      {
        session: { ...OLD, membership: { roles: { shop: ['admin'] } } },
        access: { groups: [], roles: ['admin'], users: [] },
      },
      'done',
    ],
    [
      'a role at another application',
      {
        session: { ...OLD, membership: { roles: { bank: ['admin'] } } },
        access: { groups: [], roles: ['admin'], users: [] },
      },
      'no-access',
    ],
    [
      'a user by name, as login names are compared',
      { session: { ...OLD, username: 'Ａlice' }, access: { groups: [], roles: [], users: ['ALICE '] } },
      'done',
    ],
  ]);
});
