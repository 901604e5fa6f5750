import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fixedClock } from '../../build/clock.ts';
import { filledForm } from '../../build/console.ts';
import { openDirectory } from '../../build/directory.ts';
import { eventDuring } from '../../build/events.ts';
import { aUser } from '../../build/fixture.ts';
import { openConsole } from '../../build/in-console.ts';
import { suitePart } from '../../build/suite-part.ts';
import type { Seen } from '../../build/visitor.ts';
import { openOldSystem, SIGNING_SECRET } from '../password-check/old-system.ts';

const TRY = '/console/providers/corp/try';
const DORA = { uid: 'dora', password: 'the password of dora', cn: 'Dora Dorn', sn: 'Dorn', mail: 'dora@corp.example' };

const said = ({ text }: Seen) =>
  (/<main\b[\s\S]*<\/main>/.exec(text)?.[0] ?? '').replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

describe('Try it of a directory', () => {
  const directory = suitePart(() => openDirectory({ people: [DORA] }));
  const fixture = suitePart(() => openConsole({ env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' } }));
  before(async () => {
    const made = await fixture.owner.ask('POST', '/providers', directory.provider());
    assert.equal(made.status, 201, JSON.stringify(made.json));
  });
  const tried = async (values: Record<string, string>) => {
    const { visitor, seen } = await fixture.inConsole(TRY);
    return visitor.send(filledForm(seen, 'username'), values);
  };

  it('asks it with what is typed, shows what it said, and makes nothing', async () => {
    const event = await eventDuring(fixture.server, 'provider.tried', async () => {
      const seen = await tried({ username: 'dora', password: DORA.password });
      assert.equal(seen.status, 200, seen.text);
      assert.match(said(seen), /new account with the user name dora/);
      assert.match(said(seen), /email dora@corp\.example not verified/);
      assert(!seen.text.includes(DORA.password));
    });
    assert.equal(event.outcome, 'success');
    assert.equal((await fixture.owner.ask('GET', '/users?q=dora')).json.items.length, 0);
  });

  it('says what the directory says of a wrong password, which is no failure of the directory', async () => {
    const event = await eventDuring(fixture.server, 'provider.tried', async () => {
      const seen = await tried({ username: 'dora', password: 'another password' });
      assert.equal(seen.status, 400);
      assert.match(said(seen), /It does not allow this person to sign in\. invalidCredentials/);
      assert.match(said(seen), /search_filter/);
    });
    assert.deepEqual([event.outcome, event.details], ['denied', { reason: 'wrong', detail: 'invalidCredentials' }]);
    assert.equal((await fixture.owner.ask('GET', '/provider_states/corp')).json.state, 'works');
  });

  it('attack: guesses are counted as those of the sign-in page', async () => {
    let seen: Seen | undefined;
    for (let guess = 0; guess < 12; guess++) seen = await tried({ username: 'dora', password: `guess ${guess}` });
    assert.match(said(seen as Seen), /Too many attempts\. Wait \d+ seconds/);
  });

  it('asks for what is missing', async () => {
    const seen = await tried({ username: 'erna' });
    assert.equal(seen.status, 400);
    assert.match(seen.text, /id="password-fault"/);
  });
});

describe('Try it of an old system that people move from', () => {
  const old = suitePart(() =>
    openOldSystem({
      omar: { password: 'omar knew it', claims: { sub: '18', preferred_username: 'omar' } },
    }),
  );
  const fixture = suitePart(() => {
    const omar = aUser({ username: 'omar', email: null, phone_number: null, password: undefined });
    // The old system looks at the time of the signature.
    const clock = fixedClock(Math.floor(Date.now() / 1000));
    const env = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' };
    return openConsole({ env, clock, users: [aUser(), omar] });
  });
  before(async () => {
    const provider = { id: 'old', type: 'password-check', url: old.url, signing_secret: SIGNING_SECRET };
    assert.equal((await fixture.owner.ask('POST', '/providers', provider)).status, 201);
  });

  it('names the account that waits for the person, and takes no password over', async () => {
    const { visitor, seen } = await fixture.inConsole('/console/providers/old/try');
    const shown = await visitor.send(filledForm(seen, 'username'), { username: 'omar', password: 'omar knew it' });
    assert.equal(shown.status, 200, shown.text);
    assert.match(said(shown), /This person is linked to omar and signed in/);
    assert.match(said(shown), /no way to sign in yet: it is waiting for this person/);
    const omar = await fixture.server.services.store.findAccount('omar');
    assert.equal(omar?.passwordHash, undefined);
    assert.deepEqual((await fixture.owner.ask('GET', `/users/${omar?.sub}/links`)).json.items, []);
  });
});
