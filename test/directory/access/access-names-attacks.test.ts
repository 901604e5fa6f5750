import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startAccountServer } from '../../build/account.ts';
import { anApplication, type UserInput } from '../../build/fixture.ts';
import { codeIn, MailTown } from '../../build/mail-people.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { answerIn, authorizationUrl, formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';

/** An application that admits users by their names (modern contract, who may enter), and people who want such a name. */
const PHONE = '+8613800000077';
const INTRANET = anApplication({
  code: 'intranet',
  name: 'Intranet',
  access: { groups: [], roles: [], users: ['Alice', 'frank@example.com', PHONE, 'nobody-yet'] },
});

describe('attack: a user takes a name that an application admits', () => {
  const server = suitePart(() => startAccountServer({ applications: [anApplication(), INTRANET] }));
  const owner = suitePart(() => anOperatorClient(server));

  const person = async (over: Partial<UserInput> = {}) => {
    const made = await server.person(over);
    const save = async (values: Record<string, string>): Promise<Seen> =>
      made.browser.send(formWith(await made.open('/account/profile'), 'nickname'), values);
    const enter = (): Promise<Seen> => made.browser.follow(authorizationUrl(server, {}, 'intranet'));
    return { ...made, save, enter };
  };
  const assertTaken = (seen: Seen) => {
    assert.equal(seen.status, 400);
    assert.match(seen.text, /This name is already in use/);
  };

  it('after its owner was renamed, or deleted: it is answered as any name that is taken', async () => {
    const alice = await person({ username: 'alice' });
    const mallory = await person();
    await alice.open('/account/profile');
    assert(answerIn(await alice.enter()).code, 'alice enters');
    assert.equal(
      (await alice.save({ username: 'alice-smith' })).url,
      `${server.base}/account`,
      'she can leave the name',
    );
    for (const username of ['alice', 'ALICE', '\uff41lice', 'nobody-yet'])
      assertTaken(await mallory.save({ username }));
    assertTaken(await alice.save({ username: 'alice' }));
    assert.equal((await owner.ask('DELETE', `/users/${alice.sub}`)).status, 204);
    assertTaken(await mallory.save({ username: 'alice' }));
    assert.match((await mallory.enter()).url, /\/login\/no-access/);
    const taken = await mallory.save({ username: 'alice', nickname: 'Mallory' });
    assertTaken(taken);
    assert.notEqual((await server.services.store.findUser(mallory.sub))?.nickname, 'Mallory', 'nothing was changed');
  });

  it('a telephone number that the user says to have', async () => {
    const mallory = await person();
    assert.equal((await mallory.save({ phone_number: PHONE })).url, `${server.base}/account`);
    const refused = await mallory.save({ username: '+86 138 0000 0077' });
    assert.match(refused.text, /cannot be an e-mail address or a phone number that is not yours/);
    assert.match((await mallory.enter()).url, /\/login\/no-access/);
  });

  it('the user who has the name writes it in another case, and one who proved the address may have it as the name', async () => {
    const nobody = await person({ username: 'nobody-yet' });
    assert.equal((await nobody.save({ username: 'Nobody-Yet' })).url, `${server.base}/account`);
    const frank = await person({ username: 'frank', email: 'frank@example.com', email_verified: true });
    assert.equal((await frank.save({ username: 'frank@example.com' })).url, `${server.base}/account`);
    assert(answerIn(await frank.enter()).code);
  });

  it('an operator gives it to whom the operator wants', async () => {
    const bob = await person();
    assert.equal((await owner.ask('PATCH', `/users/${bob.sub}`, { username: 'alice' })).status, 200);
  });
});

describe('attack: a person signs up with a name that an application admits', () => {
  const town = new MailTown();
  after(() => town.close());

  it('it is answered as any name that is taken, and the address is a name without a question', async () => {
    const server = await town.start({ applications: [anApplication({ sign_up: true }), INTRANET], users: [] });
    const visitor = new Visitor(server.base);
    const login = await visitor.follow(authorizationUrl(server));
    const page = await visitor.go(server.base + (/<a href="(\/signup\?[^"]+)">/.exec(login.text)?.[1] ?? ''));
    const typed = { email: 'frank@example.com', username: 'alice', password: 'a passphrase of frank' };
    const waiting = await visitor.send(formWith(page, 'email'), typed);
    const again = await visitor.send(formWith(waiting, 'code'), { code: codeIn(await town.newestMail()) });
    assert.equal(again.status, 400);
    assert.match(again.text, /This user name is taken/);
    assert.equal(await server.services.store.findAccount('alice'), undefined);
    await visitor.send(formWith(again, 'username'), { username: 'frank' });
    assert.equal((await server.services.store.findAccount('frank'))?.email, 'frank@example.com');
    const seen = await signIn(server, {}, { visitor, app: 'intranet' });
    assert.match(seen.url, /\/login\/no-access/);
  });
});
