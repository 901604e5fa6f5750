import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eraseDeletedAttributes } from '../../../src/directory/user-attributes/job.ts';
import { aCode, aTokenSet, claimsOf, get, redeem, refresh, token, userinfo } from '../../build/client.ts';
import { type FixedClock, fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { eventDuring } from '../../build/events.ts';
import { type AttributeInput, aClient, anApplication, aUser } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { bob } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, signIn, Visitor } from '../../build/visitor.ts';

const ATTRIBUTES: readonly AttributeInput[] = [
  { name: 'department', label: 'Department', scope: 'profile' },
  { name: 'cost_centre', label: 'Cost centre', type: 'number', scope: 'hr' },
  { name: 'contractor', label: 'Contractor', type: 'boolean', scope: 'hr' },
  { name: 'hired', label: 'Hired', type: 'date', scope: 'hr' },
  { name: 'skills', label: 'Skills', type: 'list', scope: 'hr', editable_by: 'user' },
  { name: 'note', label: 'Note' },
  { name: 'clearance', label: 'Clearance', scope: 'orders:read' },
];
const VALUES = {
  department: 'Sales',
  cost_centre: 12.5,
  contractor: false,
  hired: '2024-02-29',
  skills: ['cooking', 'Go'],
  note: 'seen by operators',
  clearance: 'secret',
};
const SCOPE = 'openid profile hr';
const api = { identifier: 'https://api.shop.example', name: 'Orders', scopes: { 'orders:read': 'Read' } };
const NAMES = Object.keys(VALUES);

const clock: FixedClock = fixedClock();
const server = suiteServer({
  clock,
  user_attributes: ATTRIBUTES,
  applications: [
    anApplication({
      apis: [api],
      clients: [
        aClient({
          scope: `${SCOPE} orders:read`,
          grant_types: ['authorization_code', 'refresh_token', 'password', 'implicit', 'client_credentials'],
        }),
        aClient({ client_id: 'plain' }),
        aClient({ client_id: 'asking', scope: SCOPE, require_consent: true }),
        aClient({ client_id: 'minimal', scope: SCOPE, id_token_claims: 'minimal', access_token_format: 'jwt' }),
      ],
    }),
    anApplication({ code: 'strict', name: 'Strict', strict_oidc: true, clients: [aClient({ scope: SCOPE })] }),
  ],
  users: [aUser({ attributes: VALUES }), bob()],
});
const operator = suitePart(() => anOperatorClient(server));
const AUTH = (id: string) => ({ auth: `Basic ${btoa(`${id}:web-secret-1`)}` });
const own = (claims: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => NAMES.includes(name)));
const OF_HR = { cost_centre: 12.5, contractor: false, hired: '2024-02-29', skills: ['cooking', 'Go'] };

describe('claims of user attributes', () => {
  it('are in userinfo and ID tokens of their scopes, also after a refresh, with the types of their definitions', async () => {
    const { json } = await redeem(server, await aCode(server, { scope: SCOPE }));
    const expected = { department: 'Sales', ...OF_HR };
    assert.deepEqual(own(claimsOf(json.id_token)), expected);
    assert.deepEqual(own((await userinfo(server, json.access_token)).json), expected);
    assert.deepEqual(own(claimsOf((await refresh(server, json.refresh_token)).json.id_token)), expected);
  });

  it('are left out where the scope was not granted or narrowed, and one without a scope always', async () => {
    const { json } = await redeem(server, await aCode(server, { scope: 'openid profile' }));
    assert.deepEqual(own((await userinfo(server, json.access_token)).json), { department: 'Sales' });
    assert.deepEqual(own(claimsOf(json.id_token)), { department: 'Sales' });
    const whole = (await redeem(server, await aCode(server, { scope: SCOPE }))).json;
    const narrowed = (await refresh(server, whole.refresh_token, { scope: 'openid hr' })).json;
    assert.deepEqual(own((await userinfo(server, narrowed.access_token)).json), OF_HR);
    assert.deepEqual(own(claimsOf(narrowed.id_token)), OF_HR);
  });

  it('are nothing that a client without their scope can ask for', async () => {
    const seen = await new Visitor(server.base).go(
      authorizationUrl(server, { client_id: 'plain', scope: 'openid hr' }),
    );
    assert.equal(delivered(seen).fields.error, 'invalid_scope');
    const claims = JSON.stringify({ userinfo: { cost_centre: null, note: null }, id_token: { cost_centre: null } });
    const { json } = await redeem(
      server,
      await aCode(server, { client_id: 'plain', scope: 'openid', claims }),
      {},
      AUTH('plain'),
    );
    assert.deepEqual(own((await userinfo(server, json.access_token)).json), {});
    assert.deepEqual(own(claimsOf(json.id_token)), {});
  });

  it('are in no access token, and in no ID token of a client with id_token_claims minimal', async () => {
    const { json } = await redeem(
      server,
      await aCode(server, { client_id: 'minimal', scope: SCOPE }),
      {},
      AUTH('minimal'),
    );
    assert.deepEqual(own(claimsOf(json.access_token)), {});
    assert.deepEqual(own(claimsOf(json.id_token)), {});
    assert.deepEqual(own((await userinfo(server, json.access_token)).json).cost_centre, 12.5);
  });

  it('are nothing of an application where an API has the scope: its users agreed to the API', async () => {
    const set = await aTokenSet(server, { scope: 'openid orders:read' });
    assert.deepEqual(own((await userinfo(server, set.access_token)).json), {});
    assert.deepEqual(own(claimsOf(set.id_token)), {});
  });

  it('go with a request for an API (RFC 8707), and with no client that acts for itself', async () => {
    const code = await aCode(server, { scope: `${SCOPE} orders:read`, resource: api.identifier });
    assert.deepEqual(own(claimsOf((await redeem(server, code)).json.id_token)), { department: 'Sales', ...OF_HR });
    const asked = await token(server, { grant_type: 'client_credentials', scope: 'hr' });
    assert.deepEqual([asked.status, asked.json.error], [400, 'invalid_scope']);
    const unasked = await token(server, { grant_type: 'client_credentials', resource: api.identifier });
    assert.equal(unasked.json.scope, 'orders:read');
  });

  it('stay in tokens for userinfo where the grant covers an API too', async () => {
    const scope = `${SCOPE} orders:read`;
    const { json } = await redeem(server, await aCode(server, { scope, resource: api.identifier }));
    const narrowed = (await refresh(server, json.refresh_token, { scope: SCOPE })).json;
    assert.equal(narrowed.scope, SCOPE);
    assert.deepEqual(own((await userinfo(server, narrowed.access_token)).json), { department: 'Sales', ...OF_HR });
    // It selects userinfo by itself, and the API keeps its own.
    const alone = (await refresh(server, narrowed.refresh_token, { scope: 'hr' })).json;
    assert.equal(alone.scope, 'hr');
    assert.deepEqual(own((await userinfo(server, alone.access_token)).json), OF_HR);
    const ofApi = (await refresh(server, alone.refresh_token, { scope: 'orders:read hr' })).json;
    assert.equal(ofApi.scope, 'orders:read');
  });

  it('are in discovery with their scopes, where an application has them', async () => {
    const { json } = await get(`${server.at('strict')}/.well-known/openid-configuration`);
    assert(json.scopes_supported.includes('hr'));
    for (const name of ['department', 'cost_centre', 'clearance']) assert(json.claims_supported.includes(name), name);
    assert(!json.claims_supported.includes('note'));
    const ofShop = (await get(`${server.at()}/.well-known/openid-configuration`)).json;
    assert(!ofShop.claims_supported.includes('clearance'));
  });

  it('are named by their labels on the consent page', async () => {
    const seen = await signIn(server, { client_id: 'asking', scope: SCOPE });
    assert.match(seen.text, /Department/);
    assert.match(seen.text, /Contractor, Cost centre, Hired, Skills/);
    assert.doesNotMatch(seen.text, /Note/);
  });
});

describe('user attributes at the admin API', () => {
  const create = (body: object) => operator.ask('POST', '/user_attributes', body);

  it('are defined, listed, changed and deleted, each with an event', async () => {
    const made = await create({ name: 'badge', label: 'Badge', type: 'number' });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(made.json, { name: 'badge', type: 'number', label: 'Badge', editable_by: 'operator' });
    assert.equal((await create({ name: 'badge', label: 'Again' })).status, 409);
    const { items } = (await operator.ask('GET', '/user_attributes')).json;
    assert.deepEqual(
      items.map(({ name }: { name: string }) => name),
      ['badge', ...NAMES].sort(),
    );
    const event = await eventDuring(server, 'user_attribute.updated', async () => {
      const changed = await operator.ask('PATCH', '/user_attributes/badge', {
        label: 'Badge number',
        scope: 'profile',
      });
      assert.deepEqual(changed.json, {
        name: 'badge',
        type: 'number',
        label: 'Badge number',
        editable_by: 'operator',
        scope: 'profile',
      });
    });
    assert.deepEqual([event.subject, event.details], ['badge', { fields: ['label', 'scope'] }]);
    for (const [field, value] of [
      ['type', 'string'],
      ['name', 'card'],
    ] as const) {
      const refused = await operator.ask('PATCH', '/user_attributes/badge', { [field]: value });
      assert.equal(refused.json.detail, `The ${field} of an attribute cannot be changed.`);
    }
    await eventDuring(server, 'user_attribute.deleted', async () => {
      assert.equal((await operator.ask('DELETE', '/user_attributes/badge')).status, 204);
    });
    assert.equal((await operator.ask('GET', '/user_attributes/badge')).status, 404);
  });

  for (const [what, body, pointer] of [
    ['sub', { name: 'sub' }, '/name'],
    ['email_verified', { name: 'email_verified' }, '/name'],
    ['a standard claim in capitals', { name: 'Email' }, '/name'],
    ['roles', { name: 'roles' }, '/name'],
    ['what every object has', { name: 'constructor' }, '/name'],
    ['__proto__', { name: '__proto__' }, '/name'],
    ['a name with a space', { name: 'my field' }, '/name'],
    ['a name of 41 characters', { name: 'x'.repeat(41) }, '/name'],
    ['a label of 61 characters', { name: 'ok', label: 'x'.repeat(61) }, '/label'],
    ['a label that turns the text around', { name: 'ok', label: 'a\u202Eb' }, '/label'],
    ['another type', { name: 'ok', type: 'object' }, '/type'],
    ['another editor', { name: 'ok', editable_by: 'everybody' }, '/editable_by'],
    ['the scope openid', { name: 'ok', scope: 'openid' }, '/scope'],
    ['a scope of operators', { name: 'ok', scope: 'admin:read' }, '/scope'],
    ['two scopes', { name: 'ok', scope: 'profile email' }, '/scope'],
    ['an unknown member', { name: 'ok', secret: true }, '/secret'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { status, json } = await create({ label: 'Label', ...body });
      assert.equal(status, 400, JSON.stringify(json));
      assert.deepEqual(
        json.errors.map((one: { pointer: string }) => one.pointer),
        [pointer],
      );
    });
  }

  it('has at most 50', async () => {
    const made: string[] = [];
    for (let n = NAMES.length; n < 50; n++) {
      made.push(`filler${n}`);
      assert.equal((await create({ name: `filler${n}`, label: 'Filler' })).status, 201);
    }
    assert.equal((await create({ name: 'over', label: 'Over' })).json.detail, 'There are 50 attributes already.');
    for (const name of made) await operator.ask('DELETE', `/user_attributes/${name}`);
  });
});

describe('values of user attributes at the admin API', () => {
  const created = async (body: object) => (await operator.ask('POST', '/users', body)).json;

  it('are set, shown, merged and cleared (RFC 7396), and the event names each', async () => {
    const user = await created({ username: 'carol', attributes: { department: 'IT', contractor: true } });
    assert.deepEqual(user.attributes, { contractor: true, department: 'IT' });
    const change = async (attributes: object | null) =>
      (await operator.ask('PATCH', `/users/${user.sub}`, { attributes })).json.attributes;
    const event = await eventDuring(server, 'user.updated', async () => {
      assert.deepEqual(await change({ department: null, hired: '2026-01-31' }), {
        contractor: true,
        hired: '2026-01-31',
      });
    });
    assert.deepEqual(event.details, { fields: ['attributes.department', 'attributes.hired'] });
    const renamed = (await operator.ask('PATCH', `/users/${user.sub}`, { nickname: 'C', address: 'Here' })).json;
    assert.deepEqual(renamed.attributes, { contractor: true, hired: '2026-01-31' });
    assert.equal(await change(null), undefined);
    assert.equal((await operator.ask('GET', `/users/${user.sub}`)).json.attributes, undefined);
  });

  for (const [what, attributes, pointer, detail] of [
    ['one that is not defined', { salary: 'high' }, '/attributes/salary', 'is not among user_attributes'],
    ['__proto__', JSON.parse('{"__proto__": "x"}'), '/attributes/__proto__', 'No member may have this name.'],
    ['a number for a text', { department: 7 }, '/attributes/department', 'must be a text'],
    ['an empty text', { department: '' }, '/attributes/department', 'must not be empty'],
    ['501 characters', { department: 'x'.repeat(501) }, '/attributes/department', 'must have at most 500 characters'],
    [
      'a line break',
      { department: 'a\nb' },
      '/attributes/department',
      'must not have control characters, nor invisible or direction-changing ones',
    ],
    ['a text for a number', { cost_centre: '12' }, '/attributes/cost_centre', 'must be a number'],
    ['a text for true or false', { contractor: 'yes' }, '/attributes/contractor', 'must be true or false'],
    ['a day that no calendar has', { hired: '2023-02-29' }, '/attributes/hired', 'must be a date such as 2026-01-31'],
    ['a time for a date', { hired: '2023-02-28T00:00:00Z' }, '/attributes/hired', 'must be a date such as 2026-01-31'],
    ['a text for a list', { skills: 'cooking' }, '/attributes/skills', 'must be a list of texts'],
    ['an empty list', { skills: [] }, '/attributes/skills', 'must not be empty'],
    ['an entry twice', { skills: ['a', 'a'] }, '/attributes/skills', 'must name each entry once'],
    [
      '51 entries',
      { skills: Array.from({ length: 51 }, (_, n) => `s${n}`) },
      '/attributes/skills',
      'must have at most 50 entries',
    ],
    [
      'an entry of 101 characters',
      { skills: ['x'.repeat(101)] },
      '/attributes/skills',
      `has the entry "${'x'.repeat(100)}", which must have at most 100 characters`,
    ],
  ] as const) {
    it(`refuses ${what}, when a user is created and when one is changed`, async () => {
      const { sub } = (await operator.ask('GET', '/users?q=bob')).json.items[0];
      for (const [method, path, body] of [
        ['POST', '/users', { username: 'erin', attributes }],
        ['PATCH', `/users/${sub}`, { attributes }],
      ] as const) {
        const { status, json } = await operator.ask(method, path, body);
        assert.equal(status, 400, JSON.stringify(json));
        assert.deepEqual(json.errors, [{ pointer, detail }]);
      }
    });
  }

  it('are bounded together, with those that stay', async () => {
    for (let n = 0; n < 17; n++) await operator.ask('POST', '/user_attributes', { name: `long${n}`, label: 'Long' });
    const texts = (from: number, to: number) =>
      Object.fromEntries(Array.from({ length: to - from }, (_, n) => [`long${from + n}`, 'x'.repeat(500)]));
    const user = await created({ username: 'heavy', attributes: texts(0, 12) });
    const { json } = await operator.ask('PATCH', `/users/${user.sub}`, { attributes: texts(12, 17) });
    assert.deepEqual(json.errors, [{ pointer: '/attributes', detail: 'must have at most 8192 characters as JSON' }]);
    for (let n = 0; n < 17; n++) await operator.ask('DELETE', `/user_attributes/long${n}`);
  });

  it('of a deleted definition are deleted of all users, and a new one of the name begins without any', async () => {
    await operator.ask('POST', '/user_attributes', { name: 'office', label: 'Office', scope: 'profile' });
    const user = await created({
      username: 'olga',
      name: '"office":',
      attributes: { office: 'North', department: 'IT' },
    });
    await operator.ask('DELETE', '/user_attributes/office');
    const again = { name: 'office', label: 'Office', scope: 'profile' };
    const refused = (await operator.ask('POST', '/user_attributes', again)).json;
    assert.equal(
      refused.detail,
      'The values of the former attribute "office" are still being deleted. Try again in a minute.',
    );
    const erase = () => eraseDeletedAttributes(server.services, () => false);
    await erase();
    assert.equal((await operator.ask('POST', '/user_attributes', again)).status, 409, 'requests may be under way');
    clock.advance(11);
    await erase();
    assert.equal((await operator.ask('POST', '/user_attributes', again)).status, 201);
    const left = (await operator.ask('GET', `/users/${user.sub}`)).json;
    assert.deepEqual([left.attributes, left.name], [{ department: 'IT' }, '"office":']);
  });
});
