import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { explanationOf } from '../../audit/explain/cases/world.ts';
import { aSigningPair } from '../../build/assertion.ts';
import { assertRefused, introspect, isActive } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aUser, type UserInput } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { withStatus } from '../../build/with-status.ts';
import { AGENT, assertionOf, bring, openOtherIssuer, providerAt, trusting } from './other-issuer.ts';

const KEY = aSigningPair('ES256', 'other issuer');
const clock = fixedClock();
const other = suitePart(() => openOtherIssuer(KEY));

const person = (username: string, over: Partial<UserInput> = {}): UserInput =>
  aUser({ username, email: `${username}@example.com`, phone_number: null, phone_number_verified: false, ...over });
const linkedTo = (subject: string, provider = 'corp') => ({ links: [{ provider, subject }] });

const server = suiteServer(
  () => ({
    clock,
    env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' },
    users: [],
    applications: [
      trusting(other.at('')),
      trusting(other.at(''), { code: 'mail', name: 'Mail' }, { subject: 'email' }),
      trusting(other.at(''), { code: 'club', name: 'Club', access: { groups: ['members'] } }),
    ],
  }),
  () =>
    server.provision({
      providers: [
        providerAt(other.at('')),
        providerAt(other.at(''), 'again'),
        providerAt(`${other.at('')}/`, 'slash'),
        { ...providerAt('https://else.example', 'else') },
      ],
      users: [
        person('alice', linkedTo('corp-alice')),
        person('bob', { ...linkedTo('corp-bob'), groups: ['members'] }),
        person('carol', { links: [] }),
        person('dave', { email_verified: false }),
        person('dora', linkedTo('corp-dora', 'slash')),
        person('eve', linkedTo('corp-eve', 'else')),
        person('frank', { links: [linkedTo('corp-frank').links, linkedTo('corp-frank', 'again').links].flat() }),
        person('gina', { ...linkedTo('corp-gina'), disabled: true }),
        person('hank', linkedTo('twice')),
        person('hans', linkedTo('twice', 'again')),
        // Names that look like the addresses of others.
        person('ivan@example.com', { email: 'ivan@elsewhere.example' }),
      ],
    }),
);
const owner = suitePart(() => anOperatorClient(server));
// Of many refusals of a kind few are kept in a minute.
beforeEach(() => clock.advance(60));

const ask = (claims: object, app = 'shop') =>
  bring(
    server,
    assertionOf({ clock, signer: KEY, issuer: other.at(''), server }, { claims: { aud: server.at(app), ...claims } }),
    {},
    { app },
  );
const foundBy = async (claims: object, app?: string) => {
  const { json } = await withStatus(200, ask(claims, app));
  const { sub } = (await introspect(server, { token: json.access_token }, { auth: AGENT }, app)).json;
  return (await server.services.store.findUser(sub))?.username;
};
const allUsers = async () => {
  const { users } = await server.services.store.listUsers({ search: undefined, after: undefined, limit: 100 });
  assert(users.length > 5);
  return users.map(({ username }) => username);
};
const DESCRIPTION = 'The assertion names nobody who can use this application in this way.';
const kindsOf = async (claims: object, app?: string) => {
  const before = await allUsers();
  const answered = await ask(claims, app);
  assertRefused(answered, 400, 'invalid_grant', DESCRIPTION);
  assert.deepEqual(await allUsers(), before, 'no account is made');
  return (await explanationOf(server, answered)).difference?.kinds;
};

describe('subject: link finds a person by a link of a provider with this issuer alone', () => {
  it('whoever is linked', async () => {
    assert.equal(await foundBy({ sub: 'corp-bob' }), 'bob');
    assert.equal(await foundBy({ sub: 'corp-frank' }), 'frank', 'by two providers of the issuer, the same');
  });

  it('attack: an address is not looked at, verified or not', async () => {
    const email = { email: 'carol@example.com', email_verified: true };
    assert.deepEqual(await kindsOf({ sub: 'corp-carol', ...email }), ['no-link']);
    assert.equal(await foundBy({ sub: 'corp-bob', ...email }), 'bob');
  });

  it('attack: a subject of another provider, and of an issuer that differs by a slash', async () => {
    assert.deepEqual(await kindsOf({ sub: 'corp-eve' }), ['no-link']);
    assert.deepEqual(await kindsOf({ sub: 'corp-dora' }), ['no-link']);
  });

  it('attack: a subject in other letters', async () => {
    for (const sub of ['CORP-ALICE', 'corp-alice ', 'corp-alicé', 'corp-alice\u200b', 'alice']) {
      assert.deepEqual(await kindsOf({ sub }), ['no-link']);
    }
  });

  it('two accounts of one person, by two providers of the issuer, are none', async () => {
    assert.deepEqual(await kindsOf({ sub: 'twice' }), ['collision']);
  });
});

describe('subject: email finds a person by an address that is verified on both sides (issue 31: e-mail collisions)', () => {
  const mail = (email: unknown, over: object = {}) => ({ sub: 'nobody', email, email_verified: true, ...over });

  it('whoever has verified it, letters compared without case', async () => {
    assert.equal(await foundBy(mail('carol@example.com'), 'mail'), 'carol');
    assert.equal(await foundBy(mail('Carol@Example.com', { sub: 'also nobody' }), 'mail'), 'carol');
  });

  it('makes no link: the next application of the same issuer knows nothing of it', async () => {
    await foundBy(mail('carol@example.com'), 'mail');
    assert.deepEqual(await kindsOf({ sub: 'nobody' }), ['no-link']);
  });

  it('attack: an address that the issuer has not verified', async () => {
    for (const email_verified of [false, undefined, 'true', 1, null]) {
      assert.deepEqual(await kindsOf(mail('carol@example.com', { email_verified }), 'mail'), ['email-unverified']);
    }
  });

  it('attack: an account that has not verified the address: somebody else may have typed it', async () => {
    assert.deepEqual(await kindsOf(mail('dave@example.com'), 'mail'), ['collision']);
  });

  it('attack: an address that is the user name of somebody else', async () => {
    assert.deepEqual(await kindsOf(mail('ivan@example.com'), 'mail'), ['collision']);
    assert.equal(await foundBy(mail('ivan@elsewhere.example'), 'mail'), 'ivan@example.com');
  });

  it('attack: a user name is no address', async () => {
    assert.deepEqual(await kindsOf(mail('carol'), 'mail'), ['email-missing']);
    assert.deepEqual(await kindsOf(mail(['carol@example.com']), 'mail'), ['email-missing']);
    assert.deepEqual(await kindsOf(mail(undefined), 'mail'), ['email-missing']);
  });

  it('attack: letters that only look like those of the address, or that normalise to them', async () => {
    for (const email of [
      'ｃarol@example.com',
      'carol＠example.com',
      'carol@example.com\u200b',
      ' carol@example.com',
      'carol@ｅxample.com',
    ]) {
      const [kind] = (await kindsOf(mail(email), 'mail')) ?? [];
      assert(['collision', 'no-account', 'email-missing'].includes(kind ?? ''), `${email}: ${kind}`);
    }
  });

  it('attack: an address that nobody has makes no account', async () => {
    assert.deepEqual(await kindsOf(mail('mallory@example.com'), 'mail'), ['no-account']);
  });

  it('attack: the person is linked to one account and has the address of another one', async () => {
    assert.deepEqual(await kindsOf(mail('carol@example.com', { sub: 'corp-bob' }), 'mail'), ['collision']);
  });

  it('attack: the address has a new owner at the issuer: its account is linked to the former one', async () => {
    assert.deepEqual(await kindsOf(mail('alice@example.com', { sub: 'the next alice' }), 'mail'), ['collision']);
    assert.equal(await foundBy(mail('alice@example.com', { sub: 'corp-alice' }), 'mail'), 'alice');
  });

  it('a link with another issuer says nothing about this one', async () => {
    assert.equal(await foundBy(mail('eve@example.com'), 'mail'), 'eve');
  });
});

describe('nobody comes in by an assertion who would not come in otherwise', () => {
  it('a disabled user, with the answer for somebody who does not exist', async () => {
    assert.deepEqual(await kindsOf({ sub: 'corp-gina' }), ['disabled']);
  });

  it('a user whom the application does not admit (access)', async () => {
    assert.deepEqual(await kindsOf({ sub: 'corp-alice' }, 'club'), ['not-admitted']);
    assert.equal(await foundBy({ sub: 'corp-bob' }, 'club'), 'bob');
  });

  it('the token ends when the user is disabled', async () => {
    const { json } = await withStatus(200, ask({ sub: 'corp-frank' }));
    const active = () => isActive(server, json.access_token, { auth: AGENT });
    assert(await active());
    const frank = await server.services.store.findAccount('frank');
    await withStatus(200, owner.ask('PATCH', `/users/${frank?.sub}`, { disabled: true }));
    assert(!(await active()));
    assert.deepEqual(await kindsOf({ sub: 'corp-frank' }), ['disabled']);
  });

  it('what is told to operators is not told to the client', async () => {
    const answered = await ask({ sub: 'corp-gina' });
    const { error, error_description, ...others } = answered.json;
    assert.deepEqual([error, error_description, Object.keys(others)], ['invalid_grant', DESCRIPTION, ['error_uri']]);
    const { difference } = await explanationOf(server, answered);
    assert.match(difference?.text ?? '', /disabled/);
  });
});
