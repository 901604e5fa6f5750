import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { presets } from '../../../src/directory/clients/presets.fields.ts';
import { canBreak, questionsOf, type Reviewed, settlementOf } from '../../../src/directory/clients/review.rules.ts';
import { inConsole, titleOf } from '../../build/console.ts';
import { fields } from '../../build/fields.ts';
import { CALLBACK } from '../../build/fixture.ts';
import { formWith, type Seen } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';
import { API, aRegisteredClient, CLIENTS, owner, server, useConsole } from './console-clients-fixture.ts';

useConsole();

const of = (entry: object): Reviewed => fields.client.newSchema.parse({ redirect_uris: [CALLBACK], ...entry });

describe('what a security review would question of a client (RFC 9700)', () => {
  for (const preset of presets) {
    it(`${preset}: ${preset === 'legacy' ? 'PKCE and client authentication' : 'nothing'}`, () => {
      assert.deepEqual(questionsOf(of({ preset })), preset === 'legacy' ? ['pkce', 'secret'] : []);
    });
  }

  it('a client with every grant: four questions; each settlement settles its own and no other', () => {
    const entry = { grant_types: ['authorization_code', 'implicit', 'password'] };
    const client = of(entry);
    assert.deepEqual(questionsOf(client), ['pkce', 'secret', 'implicit', 'password']);
    for (const question of questionsOf(client)) {
      const settled = of({ ...entry, ...settlementOf(question, client) });
      assert.deepEqual(
        questionsOf(settled),
        questionsOf(client).filter(each => each !== question),
      );
    }
  });

  it('tokens through the browser are questioned in response_types too, and the settlement leaves a client that can be saved', () => {
    const ofHybrid = { grant_types: ['authorization_code'], response_types: ['code', 'code token'] };
    assert(questionsOf(of(ofHybrid)).includes('implicit'));
    assert(!questionsOf(of({ ...ofHybrid, response_types: ['code id_token'] })).includes('implicit'));
    const entry = {
      grant_types: ['authorization_code', 'implicit'],
      response_types: ['id_token', 'code', 'code token'],
    };
    const settled = settlementOf('implicit', of(entry));
    assert.deepEqual(settled, { grant_types: ['authorization_code'], response_types: ['code'] });
    assert(!questionsOf(of({ ...entry, ...settled })).includes('implicit'));
    // Nothing is left of it: what the grants stand for.
    const only = settlementOf('implicit', of({ ...entry, response_types: ['id_token'] }));
    assert.deepEqual(only, { grant_types: ['authorization_code'], response_types: null });
  });

  it('a client that signs with a key has to prove itself as one with a secret', () => {
    const jwks_uri = 'https://shop.example/jwks.json';
    assert.deepEqual(questionsOf(of({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri })), ['pkce', 'secret']);
  });

  it('without a redirect URI only the end of the password grant can stop a program', () => {
    const nowhere = { ...of({}), redirect_uris: [] };
    assert.deepEqual([canBreak('pkce', nowhere), canBreak('implicit', nowhere)], [false, false]);
    assert.deepEqual([canBreak('password', nowhere), canBreak('pkce', of({}))], [true, true]);
  });
});

describe(`${CLIENTS}/{client_id}/review`, () => {
  const withQuestion = ({ text, ...seen }: Seen, question: string): Seen => ({
    ...seen,
    text: (text.match(/<form\b[\s\S]*?<\/form>/g) ?? []).find(each => each.includes(`value="${question}"`)) ?? '',
  });
  const clientOf = async (id: string) => (await owner.ask('GET', `${API}/${id}`)).json;

  it('every page of the client has the lines; a click shows what can break, and a second one settles it', async () => {
    await aRegisteredClient('old', { grant_types: ['authorization_code', 'password'] });
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/old`);
    for (const tab of ['', '/settings', '/permissions', '/authentication', '/tokens', '/secrets', '/try']) {
      const { text } = await visitor.go(`${server.base}${CLIENTS}/old${tab}`);
      assert.match(text, /PKCE isn’t required/, tab);
      assert.match(text, /The password grant is allowed/, tab);
      assert.doesNotMatch(text, /Tokens are sent through the browser/, tab);
    }
    const asked = await visitor.send(formWith(withQuestion(seen, 'pkce'), 'question'));
    assert.match(asked.text, /<h2>Require PKCE\?<\/h2>/);
    assert.match(asked.text, /sends no code_challenge/);
    assert.equal((await clientOf('old')).require_pkce, false);
    const settled = await visitor.send(formWith(withQuestion(asked, 'pkce'), 'etag'));
    assert.match(settled.text, /role="status">Saved/);
    assert.doesNotMatch(settled.text, /PKCE isn’t required/);
    assert.equal((await clientOf('old')).require_pkce, true);
    const password = await visitor.send(formWith(withQuestion(settled, 'password'), 'question'));
    await visitor.send(formWith(withQuestion(password, 'password'), 'etag'));
    assert.deepEqual((await clientOf('old')).grant_types, ['authorization_code']);
  });

  it('a client that nobody can have used is settled with one click', async () => {
    await aRegisteredClient('unused', { redirect_uris: [] });
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/unused`);
    await visitor.send(formWith(withQuestion(seen, 'secret'), 'question'));
    assert.equal((await clientOf('unused')).require_client_authentication, true);
  });

  it('a confirmation holds for the client that was shown', async () => {
    await aRegisteredClient('moved', { grant_types: ['authorization_code', 'implicit'] });
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/moved`);
    const asked = await visitor.send(formWith(withQuestion(seen, 'implicit'), 'question'));
    await owner.ask('PATCH', `${API}/moved`, { grant_types: ['authorization_code', 'implicit', 'refresh_token'] });
    const refused = await withStatus(400, visitor.send(formWith(withQuestion(asked, 'implicit'), 'etag')));
    assert.match(refused.text, /Someone has changed this/);
    assert.deepEqual((await clientOf('moved')).grant_types, ['authorization_code', 'implicit', 'refresh_token']);
    await visitor.send(formWith(withQuestion(refused, 'implicit'), 'etag'));
    assert.deepEqual((await clientOf('moved')).grant_types, ['authorization_code', 'refresh_token']);
  });

  it('shows nothing on a client of a preset, and says so by its address', async () => {
    await withStatus(201, owner.ask('POST', API, { preset: 'web', client_id: 'sound', redirect_uris: [CALLBACK] }));
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/sound`);
    assert.doesNotMatch(seen.text, /aria-label="Security review"/);
    assert.match((await visitor.go(`${server.base}${CLIENTS}/sound/review`)).text, /nothing to question/);
    const unknown = {
      action: `${server.base}${CLIENTS}/sound/review`,
      fields: new URLSearchParams({ question: 'constructor' }),
    };
    assert.equal((await visitor.send(unknown)).status, 200);
  });

  it('an auditor sees the lines and no button, and is refused', async () => {
    await aRegisteredClient('seen');
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/seen`, 'bob');
    assert.match(seen.text, /PKCE isn’t required/);
    assert.doesNotMatch(seen.text, /name="question"/);
    const { etag } = await owner
      .ask('GET', `${API}/seen`)
      .then(({ headers }) => ({ etag: String(headers.get('etag')) }));
    const form = {
      action: `${server.base}${CLIENTS}/seen/review`,
      fields: new URLSearchParams({ question: 'pkce', etag }),
    };
    assert.equal((await visitor.send(form)).status, 403);
    assert.equal((await clientOf('seen')).require_pkce, false);
    assert.equal(titleOf(seen), 'Client seen');
  });
});
