import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { mailTokenHash } from '../../../src/people/email/confirmation.ts';
import { changeAddress } from '../../build/changed-address.ts';
import { aTokenSet, introspect, token, userinfo } from '../../build/client.ts';
import { aUser, PASSWORD } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { atLogin, signedIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const NEW_PASSWORD = 'another long enough password';

describe('/api/v1/admin/users (admin contract)', () => {
  let sub: string;
  const server = suiteServer({ users: [aUser()] });
  const owner = suitePart(() => anOperatorClient(server));
  before(async () => {
    sub = (await server.services.store.findAccount('alice'))?.sub ?? '';
  });

  let count = 0;
  const aNewUser = async (over: object = {}) => {
    const username = `user-${++count}`;
    const made = await owner.ask('POST', '/users', { username, email: `${username}@example.com`, ...over });
    assert.equal(made.status, 201, made.text);
    return made.json;
  };
  const logIn = (username: string, password: string) => token(server, { grant_type: 'password', username, password });
  const isActive = async (access: string) => (await introspect(server, { token: access })).json.active;

  it('POST creates a user who can sign in; the password is in no answer', async () => {
    const made = await owner.ask('POST', '/users', {
      username: 'carol',
      email: 'Carol@Example.com',
      email_verified: true,
      name: 'Carol Example',
      address: { country: 'FR' },
      password: NEW_PASSWORD,
    });
    assert.equal(made.status, 201, made.text);
    assert(!made.text.includes(NEW_PASSWORD) && !made.text.includes('argon2'));
    const { sub: id, updated_at, ...fields } = made.json;
    assert.deepEqual(fields, {
      username: 'carol',
      email: 'Carol@Example.com',
      email_verified: true,
      phone_number_verified: false,
      name: 'Carol Example',
      address: { country: 'FR' },
      disabled: false,
      require_mfa: false,
      has_password: true,
      require_password_change: false,
    });
    assert.match(updated_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.equal((await logIn('carol@example.com', NEW_PASSWORD)).status, 200);
    const read = await owner.ask('GET', `/users/${id}`);
    assert.deepEqual(read.json, made.json);
    assert.equal(read.headers.get('etag'), made.headers.get('etag'));
  });

  it('POST with a name of another user is 409, with faults 400 with each of them', async () => {
    const taken = await withStatus(409, owner.ask('POST', '/users', { username: 'x1', email: 'ALICE@example.com' }));
    assert.match(taken.json.detail, /alice@example\.com/);
    const faulty = await owner.ask('POST', '/users', { email: 'no address', colour: 'red', password: '' });
    assert.equal(faulty.status, 400);
    const pointers = faulty.json.errors.map(({ pointer }: { pointer: string }) => pointer);
    for (const pointer of ['/email', '/colour', '/password']) assert(pointers.includes(pointer), faulty.text);
  });

  it('POST with an Idempotency-Key, repeated or at the same moment, makes one user and gives the same answer', async () => {
    const headers = { 'idempotency-key': 'make-dave' };
    const make = () => owner.ask('POST', '/users', { username: 'dave' }, headers);
    const answers = [...(await Promise.all([make(), make(), make()])), await make()];
    for (const { status, json } of answers) assert.deepEqual([status, json.sub], [201, answers[0]?.json.sub]);
    assert.equal((await owner.ask('POST', '/users', { username: 'other' }, headers)).status, 409);
  });

  it('GET lists in the order of names, and finds by the beginning of name, e-mail and telephone number', async () => {
    const word = 'finder';
    await aNewUser({ username: `${word}-b`, email: `${word}-b@example.com` });
    await aNewUser({ username: `${word}-a`, phone_number: '+44 7700 900123' });
    const names = async (query: string) => {
      const found = await withStatus(200, owner.ask('GET', `/users?${query}`));
      return found.json.items.map(({ username }: { username: string }) => username);
    };
    assert.deepEqual(await names(`q=${word}`), [`${word}-a`, `${word}-b`]);
    assert.deepEqual(await names(`q=FINDER-B`), [`${word}-b`]);
    assert.deepEqual(await names(`q=${encodeURIComponent('+44 (7700) 9')}`), [`${word}-a`]);
    assert.deepEqual(await names(`q=${encodeURIComponent('%')}`), []);
    const all: string[] = [];
    for (let next = ''; ; ) {
      const page = await owner.ask('GET', `/users?limit=2${next && `&cursor=${next}`}`);
      all.push(...page.json.items.map(({ username }: { username: string }) => username));
      next = page.json.next;
      if (!next) break;
    }
    assert.deepEqual(all, all.toSorted());
    assert.equal(new Set(all).size, all.length);
    assert(all.includes('alice') && all.includes(`${word}-b`));
  });

  it('PATCH merges (RFC 7396), null clears, the parts of the address one by one; unknown fields and passwords are 400', async () => {
    const { sub: id } = await aNewUser({ nickname: 'N', address: { country: 'FR', locality: 'Paris' } });
    const patched = await owner.ask('PATCH', `/users/${id}`, {
      nickname: null,
      address: { locality: null, region: 'X' },
    });
    assert.equal(patched.status, 200, patched.text);
    assert.deepEqual([patched.json.nickname, patched.json.address], [undefined, { country: 'FR', region: 'X' }]);
    assert.deepEqual((await owner.ask('GET', `/users/${id}`)).json, patched.json);
    for (const bad of [
      { colour: 'red' },
      { password: NEW_PASSWORD },
      { sub: 'x' },
      { username: null },
      { disabled: 'x' },
    ])
      assert.equal((await owner.ask('PATCH', `/users/${id}`, bad)).status, 400, JSON.stringify(bad));
    assert.equal((await owner.ask('PATCH', `/users/${id}`, { email: 'alice@example.com' })).status, 409);
    assert.equal((await owner.ask('PATCH', '/users/nobody', { nickname: 'x' })).status, 404);
  });

  it('If-Match: of changes that read the same state one succeeds, the others are 412, DELETE as well', async () => {
    const { sub: id } = await aNewUser();
    const headers = { 'if-match': (await owner.ask('GET', `/users/${id}`)).headers.get('etag') ?? '' };
    const patches = ['a', 'b', 'c'].map(nickname => owner.ask('PATCH', `/users/${id}`, { nickname }, headers));
    assert.deepEqual((await Promise.all(patches)).map(({ status }) => status).sort(), [200, 412, 412]);
    assert.equal((await owner.ask('DELETE', `/users/${id}`, undefined, headers)).status, 412);
    assert.equal((await owner.ask('DELETE', `/users/${id}`)).status, 204);
    assert.equal((await owner.ask('GET', `/users/${id}`)).status, 404);
    assert.equal((await owner.ask('DELETE', `/users/${id}`)).status, 404);
  });

  it('disabling and deleting end sessions and tokens at once', async () => {
    for (const end of [
      (id: string) => owner.ask('PATCH', `/users/${id}`, { disabled: true }),
      (id: string) => owner.ask('DELETE', `/users/${id}`),
    ]) {
      const { sub: id, username } = await aNewUser({ password: PASSWORD });
      const { access_token } = await aTokenSet(server, { username });
      const visitor = await signedIn(server, username);
      assert.equal(await isActive(access_token), true);
      assert((await end(id)).status < 300);
      assert.equal(await isActive(access_token), false);
      assert.equal((await userinfo(server, access_token)).status, 401);
      assert(atLogin(await visitor.follow(authorizationUrl(server))));
      assert.equal((await logIn(username, PASSWORD)).status, 400);
    }
  });

  it('PUT password: the new one works, the old one and its tokens do not', async () => {
    const { sub: id, username } = await aNewUser({ password: PASSWORD });
    const { access_token } = await aTokenSet(server, { username });
    assert.equal((await owner.ask('PUT', `/users/${id}/password`, { password: NEW_PASSWORD })).status, 204);
    assert.equal(await isActive(access_token), false);
    assert.equal((await logIn(username, PASSWORD)).status, 400);
    assert.equal((await logIn(username, NEW_PASSWORD)).status, 200);
    for (const bad of [{}, { password: 'a', password_hash: 'b' }, { password_hash: 'plain' }, { password: '' }])
      assert.equal((await owner.ask('PUT', `/users/${id}/password`, bad)).status, 400, JSON.stringify(bad));
    assert.equal((await owner.ask('PUT', '/users/nobody/password', { password: NEW_PASSWORD })).status, 404);
  });

  it('sessions and grants: listed with ids, ended one by one; of another user they are 404', async () => {
    const { sub: other } = await aNewUser();
    await signedIn(server);
    const visitor = await signedIn(server);
    const { access_token } = await aTokenSet(server);
    const sessions = (await owner.ask('GET', `/users/${sub}/sessions`)).json.items;
    assert.equal(sessions.length, 2);
    assert.deepEqual(Object.keys(sessions[0]), ['id', 'created_at', 'amr', 'idle_expires_at', 'expires_at']);
    assert.equal((await owner.ask('DELETE', `/users/${other}/sessions/${sessions[0].id}`)).status, 404);
    for (const { id } of sessions)
      assert.equal((await owner.ask('DELETE', `/users/${sub}/sessions/${id}`)).status, 204);
    assert(atLogin(await visitor.follow(authorizationUrl(server))));
    const grants = (await owner.ask('GET', `/users/${sub}/grants`)).json.items;
    const [{ id, application, client_id }] = grants;
    assert.deepEqual([application, client_id], ['shop', 'web']);
    assert.equal((await owner.ask('DELETE', `/users/${other}/grants/${id}`)).status, 404);
    assert.equal(await isActive(access_token), true);
    for (const grant of grants)
      assert.equal((await owner.ask('DELETE', `/users/${sub}/grants/${grant.id}`)).status, 204);
    assert.equal(await isActive(access_token), false);
    assert.equal((await owner.ask('DELETE', `/users/${sub}/grants/${id}`)).status, 404);
    for (const list of ['sessions', 'grants', 'consents', 'factors', 'trusted_browsers', 'email_undos'])
      assert.equal((await owner.ask('GET', `/users/nobody/${list}`)).status, 404, list);
    assert.equal((await owner.ask('GET', `/users/${sub}/grants?cursor=eA`)).status, 400);
  });

  it('consents and factors: listed, withdrawn and removed', async () => {
    const { sub: id, username } = await aNewUser({ password: PASSWORD });
    await server.services.store.addConsent(id, 'shop', 'web', ['openid', 'email'], server.services.clock.now());
    const [consent] = (await owner.ask('GET', `/users/${id}/consents`)).json.items;
    assert.deepEqual([consent.id, consent.scope], ['shop:web', 'openid email']);
    assert.equal((await owner.ask('DELETE', `/users/${id}/consents/shop:web`)).status, 204);
    assert.equal((await owner.ask('DELETE', `/users/${id}/consents/shop:web`)).status, 404);
    const factors = await owner.ask('GET', `/users/${id}/factors`);
    assert.deepEqual(
      factors.json.items.map(({ id, kind }: { id: string; kind: string }) => [id, kind]),
      [['password', 'password']],
    );
    assert(!factors.text.includes('argon2'));
    assert.equal((await owner.ask('DELETE', `/users/${id}/factors/password`)).status, 204);
    assert.equal((await logIn(username, PASSWORD)).status, 400);
  });

  it('a new password has 8 to 256 characters, as the OpenAPI document says (accounts contract, Passwords)', async () => {
    const { paths } = (await owner.ask('GET', '/openapi.json')).json;
    const { sub: id } = await aNewUser();
    for (const [path, method] of [
      ['/users', 'post'],
      ['/users/{sub}/password', 'put'],
    ] as const) {
      const operation = Object.entries<never>(paths).find(([each]) => each === path)?.[1]?.[method];
      assert(operation, path);
      const { schema } = (operation as { requestBody: { content: Record<string, never> } }).requestBody.content[
        'application/json'
      ] as unknown as { schema: { properties: { password: object } } };
      const { minLength, maxLength } = schema.properties.password as Record<string, number>;
      assert.deepEqual([minLength, maxLength], [8, 256], path);
    }
    const set = async (password: string) => (await owner.ask('PUT', `/users/${id}/password`, { password })).status;
    const long = (length: number) => Array.from({ length }, (_, at) => ['🦉', '🌲', '🍄'][at % 3]).join('');
    assert.deepEqual([await set('q7!hVz2'), await set('q7!hVz2k')], [400, 204]);
    assert.deepEqual([await set(long(256)), await set(long(257))], [204, 400]);
  });

  it('an update tells which fields changed (docs/events.md)', async () => {
    const { sub: id } = await aNewUser();
    await owner.ask('PATCH', `/users/${id}`, { nickname: 'Al' });
    const [event] = (await owner.ask('GET', `/events?user=${id}&type=user.updated`)).json.items;
    assert.deepEqual(event.details, { fields: ['nickname'] });
  });

  it('undos of a changed e-mail address: listed without their token, and revoked (admin contract)', async () => {
    const { sub: id, username } = await aNewUser({ email_verified: true });
    const path = `/users/${id}/email_undos`;
    assert.deepEqual((await owner.ask('GET', path)).json, { items: [], next: null });
    const token = await changeAddress(server, username, `${username}@elsewhere.example`);
    const auditor = await anOperatorClient(server, { role: 'auditor' });
    const listed = await auditor.ask('GET', path);
    const [undo, ...others] = listed.json.items;
    assert.deepEqual(Object.keys(undo), ['id', 'email', 'changed_at', 'expires_at']);
    assert.deepEqual([undo.email, others], [`${username}@example.com`, []]);
    const hash = mailTokenHash(token);
    for (const secret of [token, hash.toString('hex'), hash.toString('base64'), hash.toString('base64url')])
      assert(!listed.text.includes(secret));
    assert.equal((await auditor.ask('DELETE', path)).status, 403);
    const limited = await anOperatorClient(server, { role: 'owner', applications: ['shop'] });
    for (const method of ['GET', 'DELETE'] as const) assert.equal((await limited.ask(method, path)).status, 404);
    assert.equal((await owner.ask('DELETE', '/users/nobody/email_undos')).status, 404);
    for (const _ of ['with a link', 'without']) assert.equal((await owner.ask('DELETE', path)).status, 204);
    assert.deepEqual((await owner.ask('GET', path)).json.items, []);
    assert.equal((await fetch(`${server.base}/undo-email?token=${token}`)).status, 400);
    const events = (await owner.ask('GET', `/events?user=${id}&type=user.email.undo_revoked`)).json.items;
    assert.equal(events.length, 1, 'one event for one act');
    assert(!JSON.stringify(events).includes('@'), 'the event names no address');
  });

  it('all data of a person are exported as the person gets them, without a secret, and it is recorded (admin contract)', async () => {
    const { sub: id, username } = await aNewUser({ password: PASSWORD, email_verified: true });
    await signedIn(server, username);
    const operator = await anOperatorClient(server, { role: 'operator' });
    const exported = await withStatus(200, operator.ask('GET', `/users/${id}/export`));
    const { profile, factors, sessions, events } = exported.json;
    assert.deepEqual([profile.sub, profile.username, sessions.length], [id, username, 1]);
    assert.deepEqual(
      factors.map(({ kind }: { kind: string }) => kind),
      ['password'],
    );
    assert(events.some(({ type }: { type: string }) => type === 'user.login.succeeded'));
    assert.doesNotMatch(exported.text, /scrypt|\$2[aby]\$|"data"/);
    const recorded = (await owner.ask('GET', `/events?user=${id}&type=user.exported`)).json.items;
    assert.equal(recorded.length, 1);
    const auditor = await anOperatorClient(server, { role: 'auditor' });
    const limited = await anOperatorClient(server, { role: 'owner', applications: ['shop'] });
    assert.equal((await auditor.ask('GET', `/users/${id}/export`)).status, 403);
    assert.equal((await limited.ask('GET', `/users/${id}/export`)).status, 404);
    assert.equal((await owner.ask('GET', '/users/nobody/export')).status, 404);
  });

  it('undos of an owner are revoked by owners alone', async () => {
    const { sub: id, username } = await aNewUser({ email_verified: true });
    await owner.ask('POST', '/operators', { username, role: 'owner', applications: ['shop'] });
    await changeAddress(server, username, `${username}@elsewhere.example`);
    const operator = await anOperatorClient(server, { role: 'operator' });
    assert.equal((await operator.ask('DELETE', `/users/${id}/email_undos`)).status, 409);
    assert.equal((await owner.ask('DELETE', `/users/${id}/email_undos`)).status, 204);
    assert.equal((await owner.ask('DELETE', `/operators/${id}`)).status, 204);
  });

  it('trusted browsers: listed without their token, and withdrawn (accounts contract, Second factors)', async () => {
    const { sub: id, username } = await aNewUser({ password: PASSWORD });
    const { store, clock } = server.services;
    const passwordHash = (await store.findAccount(username))?.passwordHash;
    const trust = (name: string) =>
      store.trustBrowser(
        {
          ...{ id: name, tokenHash: `hash of ${name}`, sub: id, userAgent: 'Agent/1', passwordHash },
          ...{ createdAt: clock.now(), expiresAt: clock.now() + 600 },
        },
        10,
      );
    assert(await trust('laptop'));
    assert(await trust('phone'));
    const listed = await owner.ask('GET', `/users/${id}/trusted_browsers`);
    assert.deepEqual(Object.keys(listed.json.items[0]), ['id', 'user_agent', 'created_at', 'expires_at']);
    assert(!listed.text.includes('hash of'));
    const auditor = await anOperatorClient(server, { role: 'auditor' });
    assert.equal((await auditor.ask('GET', `/users/${id}/trusted_browsers`)).json.items.length, 2);
    assert.equal((await auditor.ask('DELETE', `/users/${id}/trusted_browsers/laptop`)).status, 403);
    assert.equal((await owner.ask('DELETE', `/users/${sub}/trusted_browsers/laptop`)).status, 404);
    assert.equal((await owner.ask('DELETE', `/users/${id}/trusted_browsers/laptop`)).status, 204);
    assert.equal((await owner.ask('DELETE', `/users/${id}/trusted_browsers/laptop`)).status, 404);
    const left = (await owner.ask('GET', `/users/${id}/trusted_browsers`)).json.items;
    assert.deepEqual(
      left.map((browser: { id: string }) => browser.id),
      ['phone'],
    );
    const events = (await owner.ask('GET', `/events?user=${id}&type=browser.distrusted`)).json.items;
    assert.deepEqual(
      events.map((event: { details: object }) => event.details),
      [{ browser: 'laptop' }],
    );
  });

  it('POST sign_out ends every session and token', async () => {
    const visitor = await signedIn(server);
    const { access_token } = await aTokenSet(server);
    assert.equal((await owner.ask('POST', `/users/${sub}/sign_out`)).status, 204);
    assert.equal(await isActive(access_token), false);
    assert(atLogin(await visitor.follow(authorizationUrl(server))));
    assert.equal((await owner.ask('POST', '/users/nobody/sign_out')).status, 404);
  });

  it('the last owner cannot be disabled or deleted, and two owners who delete each other leave one', async () => {
    const [one, two] = [await aNewUser(), await aNewUser()];
    await owner.ask('POST', '/operators', { sub: one.sub, role: 'owner' });
    assert.equal((await owner.ask('PATCH', `/users/${one.sub}`, { disabled: true })).status, 409);
    assert.equal((await owner.ask('DELETE', `/users/${one.sub}`)).status, 409);
    await owner.ask('POST', '/operators', { sub: two.sub, role: 'owner' });
    const outcomes = await Promise.all([one, two].map(({ sub: id }) => owner.ask('DELETE', `/users/${id}`)));
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), [204, 409]);
    assert.equal((await owner.ask('GET', '/operators')).json.items.length, 1);
  });

  it('an operator cannot become an owner by the password or the e-mail address of one', async () => {
    const operator = await anOperatorClient(server, { role: 'operator' });
    const { sub: id } = await aNewUser();
    await owner.ask('POST', '/operators', { sub: id, role: 'owner' });
    const attempts = [
      await operator.ask('PUT', `/users/${id}/password`, { password: NEW_PASSWORD }),
      await operator.ask('PATCH', `/users/${id}`, { email: 'mine@example.com' }),
      await operator.ask('DELETE', `/users/${id}`),
      await operator.ask('DELETE', `/users/${id}/factors/password`),
    ];
    assert.deepEqual(
      attempts.map(({ status }) => status),
      [409, 409, 409, 409],
    );
    assert.equal((await owner.ask('PATCH', `/users/${id}`, { nickname: 'x' })).status, 200);
  });

  it('an auditor reads and changes nothing (403); a caller limited to an application sees no users (404)', async () => {
    const auditor = await anOperatorClient(server, { role: 'auditor' });
    const limited = await anOperatorClient(server, { role: 'owner', applications: ['shop'] });
    for (const path of ['/users', `/users/${sub}`, `/users/${sub}/sessions`]) {
      assert.equal((await auditor.ask('GET', path)).status, 200);
      assert.equal((await limited.ask('GET', path)).status, 404);
    }
    assert.equal((await auditor.ask('POST', '/users', { username: 'z' })).status, 403);
    assert.equal((await auditor.ask('POST', `/users/${sub}/sign_out`)).status, 403);
    assert.equal((await limited.ask('DELETE', `/users/${sub}`)).status, 404);
  });
});
