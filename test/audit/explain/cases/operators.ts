import { anOperatorClient, anOperatorToken, ask } from '../../../build/operator.ts';
import { signedIn } from '../../../build/people.ts';
import { Visitor } from '../../../build/visitor.ts';
import { type Case, HUSH } from './world.ts';

/** The admin API. */
export const operators: readonly Case[] = [
  {
    row: 'operatorNeeded',
    name: 'the console for a user without a role',
    refuse: async ({ server }) => (await signedIn(server)).go(`${server.base}/console`),
    app: null,
    kinds: ['role'],
    failed: 'role sufficient',
  },
  {
    row: 'ownerLinkInvalid',
    name: 'the link for the first owner without its token',
    refuse: ({ server }) => new Visitor(server.base).go(`${server.base}/first-owner`),
    app: null,
    kinds: ['used-or-expired'],
    failed: 'sign-in opened',
  },
  {
    row: 'operatorUnknown',
    name: 'no key',
    refuse: ({ server }) => ask(server.base, undefined, 'GET', '/applications'),
    app: null,
    kinds: ['missing'],
    failed: 'caller authenticated',
  },
  {
    row: 'operatorKeyInvalid',
    name: 'a key that does not exist',
    refuse: ({ server }) => ask(server.base, `gak_${'x'.repeat(43)}`, 'GET', '/applications'),
    app: null,
    received: /an API key of 47 characters \(not kept\)/,
    kinds: ['unknown-key'],
    failed: 'caller authenticated',
  },
  {
    row: 'operatorScopeMissing',
    name: 'a change with a token that may only read',
    refuse: async ({ server, owner }) => {
      const access = await anOperatorToken(server, owner, 'openid admin:read');
      return ask(server.base, access, 'DELETE', '/applications/blog');
    },
    app: null,
    expected: /admin:write to change/,
    kinds: ['scope'],
    failed: 'role sufficient',
  },
  {
    row: 'operatorFactorMissing',
    name: 'a token of a login with the password alone, where operators need a second factor',
    refuse: async ({ server, owner, services }) => {
      const access = await anOperatorToken(server, owner);
      Object.assign(services.config, { operatorMfa: 'required' });
      const refused = await ask(server.base, access, 'GET', '/applications');
      Object.assign(services.config, { operatorMfa: 'optional' });
      return refused;
    },
    app: null,
    client: 'desk',
    expected: /two factors/,
    kinds: ['too-weak'],
    failed: 'role sufficient',
  },
  {
    row: 'roleTooLow',
    name: 'a change by an auditor',
    refuse: async ({ server }) =>
      (await anOperatorClient(server, { role: 'auditor' })).ask('DELETE', '/applications/blog'),
    app: null,
    expected: /the role operator/,
    kinds: ['role'],
    failed: 'role sufficient',
  },
  {
    row: 'roleTooLow',
    name: 'a change of the built-in application by an owner who is limited to it',
    refuse: async ({ server }) => {
      const limited = await anOperatorClient(server, { role: 'owner', applications: ['gatehouse'] });
      return limited.ask('DELETE', '/applications/gatehouse/clients/desk');
    },
    app: null,
    expected: /the role owner for all applications/,
    kinds: ['role'],
    failed: 'role sufficient',
  },
  {
    row: 'objectUnknown',
    name: 'an application that does not exist',
    refuse: ({ owner }) => owner.ask('GET', '/applications/nowhere'),
    app: null,
    kinds: ['unknown'],
    failed: 'object found',
  },
  {
    row: 'objectConflict',
    name: 'an application that exists already',
    refuse: ({ owner }) => owner.ask('POST', '/applications', { code: 'blog', name: 'Blog' }),
    app: null,
    kinds: ['conflict'],
    failed: 'change applied',
  },
  {
    row: 'objectChanged',
    name: 'an ETag of another state',
    refuse: ({ owner }) => owner.ask('PATCH', '/applications/blog', { name: 'B' }, { 'if-match': '"old"' }),
    app: null,
    kinds: ['changed'],
    failed: 'change applied',
  },
  {
    row: 'idempotencyKeyReused',
    name: 'the same key for another body',
    refuse: async ({ owner }) => {
      const headers = { 'idempotency-key': 'once' };
      await owner.ask('POST', '/applications', { code: 'made', name: 'Made' }, headers);
      return owner.ask('POST', '/applications', { code: 'made2', name: 'Made' }, headers);
    },
    app: null,
    kinds: ['another-request'],
    failed: 'request is new',
  },
  {
    row: 'valuesInvalid',
    name: 'a field that does not exist',
    refuse: ({ owner }) => owner.ask('POST', '/applications', { code: 'x', name: 'X', colour: HUSH }),
    app: null,
    kinds: ['values'],
    difference: /\/colour: /,
    failed: 'values valid',
  },
  {
    row: 'mediaTypeUnsupported',
    name: 'a form',
    refuse: ({ owner }) => owner.ask('POST', '/applications', 'code=x', { 'content-type': 'text/plain' }),
    app: null,
    expected: /application\/json/,
    received: /text\/plain/,
    kinds: ['content-type'],
    failed: 'body read',
  },
  {
    row: 'jsonInvalid',
    name: 'a member twice',
    refuse: ({ owner }) => owner.ask('POST', '/applications', '{"code":"x","code":"y"}'),
    app: null,
    kinds: ['json'],
    difference: /^\/code: .*twice/,
    failed: 'body read',
  },
  {
    row: 'tooManyOperatorAttempts',
    name: 'too many wrong keys',
    refuse: async ({ server }) => {
      const guess = () => ask(server.base, `gak_${'y'.repeat(43)}`, 'GET', '/applications');
      for (let attempt = 0; attempt < 200; attempt++) {
        const answered = await guess();
        if (answered.status === 429) return answered;
      }
      throw new Error('no limit was reached');
    },
    app: null,
    kinds: ['limit'],
    difference: /in \d s/,
    failed: 'caller authenticated',
  },
];
