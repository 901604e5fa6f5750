import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { newOwnerLink } from '../../../src/operators/first-owner/owner-link.ts';
import { anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import { fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { aUser, CALLBACK } from '../../build/fixture.ts';
import { anOperatorClient, anOperatorToken, ask } from '../../build/operator.ts';
import { aPasskey } from '../../build/passkey.ts';
import { atLogin, bob, logIn, tokensFrom } from '../../build/people.ts';
import { suitePart, testPart } from '../../build/suite-part.ts';
import { startTestServer, suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';
import { enrolled, passkeysPage } from '../../people/passkey/passkeys-fixture.ts';

const REQUIRED = { GATEHOUSE_OPERATOR_MFA: 'required' };

/** docs/configuration.md, GATEHOUSE_OPERATOR_MFA: operators use a second factor, whatever application they sign in to elsewhere. */
describe('a second factor is required of operators', () => {
  const clock = fixedClock();
  let username: string;
  let count = 0;
  const server = suiteServer({ users: [], clock, env: REQUIRED, hostname: 'localhost' });
  const owner = suitePart(() => anOperatorClient(server));
  before(async () => {
    const made = await owner.ask('POST', '/applications/gatehouse/clients', {
      client_id: 'cli',
      client_secret: 'cli-secret-1234',
      redirect_uris: [CALLBACK],
      scope: 'openid admin:read admin:write',
    });
    assert.equal(made.status, 201, made.text);
  });
  beforeEach(async () => {
    clock.advance(600);
    username = await person({});
    assert.equal((await owner.ask('POST', '/operators', { username, role: 'owner' })).status, 201);
  });
  const visitor = testPart(() => new Visitor(server.base));

  async function person(over: object): Promise<string> {
    const name = `person${++count}`;
    const names = { username: name, email: `${name}@example.com`, phone_number: null, phone_number_verified: false };
    await server.provision({ users: [aUser({ ...names, ...over })] });
    return name;
  }
  const console = (path = '') => `${server.base}/console${path}`;
  const enrol = async (page: Seen): Promise<Seen> => {
    const key = /id="totp-key">([A-Z2-7]+)</.exec(page.text)?.[1];
    const codes = await visitor.send(formWith(page, 'code'), { code: anAuthenticator(clock, key).code() });
    const next =
      /<a class="button" href="([^"]+)">I have saved them/.exec(codes.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    return visitor.follow(new URL(next, server.base).href);
  };

  it('the first sign-in to the console sets one up, and then the page opens', async () => {
    const page = await logIn(visitor, await visitor.follow(console('/applications')), username);
    assert.match(page.url, /\/login\/enrol\?/);
    assert.equal((await enrol(page)).url, console('/applications'));
    clock.advance(60);
    const again = new Visitor(server.base);
    const asked = await logIn(again, await again.follow(console()), username);
    assert.match(asked.url, /\/login\/totp\?/);
  });

  it('attack: the password alone opens no page and sends no form, however the session was opened', async () => {
    await signIn(server, {}, { visitor, username });
    assert.match((await visitor.follow(console())).url, /\/login\/enrol\?/);
    const fields = new URLSearchParams({ code: 'thief', name: 'Thief' });
    assert(atLogin(await visitor.send({ action: console('/applications/new'), fields })));
    assert.equal((await owner.ask('GET', '/applications/thief')).status, 404);
  });

  it('a passkey does as well: the page of the app leads to it', async () => {
    const page = await logIn(visitor, await visitor.follow(console()), username);
    assert.match(page.text, /href="\/account\/security\/passkeys"/);
    await enrolled(server, username, aPasskey(), visitor);
    assert.equal((await visitor.follow(console())).url, console());
    assert.equal((await passkeysPage(server, visitor, username)).status, 200);
  });

  it('a person without a role is told so, and sets nothing up', async () => {
    const other = await person({});
    const seen = await logIn(visitor, await visitor.follow(console()), other);
    assert.equal(seen.status, 403);
  });

  it('admin scopes of the built-in application need it; signing in alone does not', async () => {
    const request = { client_id: 'cli', scope: 'openid admin:read' };
    const plain = await signIn(server, { ...request, scope: 'openid' }, { visitor, username, app: 'gatehouse' });
    assert(delivered(plain).fields.code);
    const none = await visitor.go(authorizationUrl(server, { ...request, prompt: 'none' }, 'gatehouse'));
    assert.equal(delivered(none).fields.error, 'unmet_authentication_requirements');
    const page = await visitor.follow(authorizationUrl(server, request, 'gatehouse'));
    assert.match(page.url, /\/login\/enrol\?/);
    const granted = await enrol(page);
    const { access_token } = await tokensFrom(server, granted, {
      app: 'gatehouse',
      sending: { auth: `Basic ${btoa('cli:cli-secret-1234')}` },
    });
    assert.equal((await ask(server.base, access_token, 'GET', '/applications')).status, 200);
  });

  it('an API key works as before', async () => {
    assert.equal((await owner.ask('GET', '/applications')).status, 200);
  });

  it('the link for the first owner leads to it', async () => {
    const empty = await startTestServer({ users: [], applications: [], clock, env: REQUIRED });
    try {
      const first = new Visitor(empty.base);
      const fields = new URLSearchParams({ action: 'create', username: 'olga', password: 'a long passphrase 1' });
      const page = await first.send({ action: await newOwnerLink(empty.services), fields });
      assert.match(page.url, /\/login\/enrol\?/);
    } finally {
      await empty.close();
    }
  });
});

describe('a second factor is required of operators from now on', () => {
  it('attack: a token of a login with the password alone, from before, is refused by the admin API', async () => {
    const server = await startTestServer({ users: [aUser(), bob({ totp_secret: TOTP_SECRET })] });
    try {
      const owner = await anOperatorClient(server);
      const access = await anOperatorToken(server, owner);
      const call = () => ask(server.base, access, 'GET', '/applications');
      assert.equal((await call()).status, 200, 'optional on loopback');
      Object.assign(server.services.config, { operatorMfa: 'required' });
      const refused = await call();
      assert.deepEqual(
        [refused.status, refused.json.type.split('/').at(-1)],
        [401, 'insufficient_user_authentication'],
      );
      assert.match(
        refused.headers.get('www-authenticate') ?? '',
        /error="insufficient_user_authentication".*acr_values="2"/,
      );
      assert.equal((await owner.ask('GET', '/applications')).status, 200);
    } finally {
      await server.close();
    }
  });
});
