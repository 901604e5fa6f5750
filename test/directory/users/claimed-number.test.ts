import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { readApplyFiles } from '../../../src/operators/apply/apply-file.ts';
import { exportText } from '../../../src/operators/apply/export.ts';
import { planChanges } from '../../../src/operators/apply/plan.ts';
import { type Person, startAccountServer } from '../../build/account.ts';
import { basic, token } from '../../build/client.ts';
import { fields } from '../../build/fields.ts';
import { aClient, PASSWORD } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { formWith, type Seen } from '../../build/visitor.ts';

/** interface.md 4.2: people sign in with a telephone number. Only one that was verified, or that an operator has set, is somebody's. */
describe('attack: a telephone number of somebody else on the own profile page', () => {
  let thief: Person;
  let numbers = 0;
  let number: string;
  const clients = [aClient({ grant_types: ['password'] })];
  const server = suitePart(() => startAccountServer({ clients }));
  const owner = suitePart(() => anOperatorClient(server));
  beforeEach(async () => {
    thief = await server.person();
    number = `+861380001${String(1000 + numbers++)}`;
    assert.equal((await save(thief, { phone_number: number })).url, `${server.base}/account`);
  });

  const save = async (person: Person, values: Record<string, string>): Promise<Seen> =>
    person.browser.send(formWith(await person.open('/account/profile'), 'nickname'), values);
  const stored = (person: Person) => server.services.store.findUser(person.sub);
  const ownerOf = async (name: string) => (await server.services.store.findAccount(name))?.sub;
  const passwordGrant = (username: string) =>
    token(
      server,
      { grant_type: 'password', username, password: PASSWORD, scope: 'openid phone' },
      { auth: basic('web', 'web-secret-1') },
    );

  it('is profile data: stored, told to clients as not verified, and no name to sign in with', async () => {
    assert.deepEqual([(await stored(thief))?.phoneNumber, (await stored(thief))?.phoneNumberVerified], [number, false]);
    assert.equal(await ownerOf(number), undefined);
    assert.equal((await passwordGrant(number)).json.error, 'invalid_grant');
    const { json } = await passwordGrant(thief.username);
    const claims = JSON.parse(Buffer.from(json.id_token.split('.')[1], 'base64url').toString());
    assert.deepEqual([claims.phone_number, claims.phone_number_verified], [number, false]);
  });

  it('does not keep the real owner out: apply, API, and the profile page of another person', async () => {
    const other = await server.person();
    assert.equal((await save(other, { phone_number: number })).url, `${server.base}/account`, 'two can claim it');
    await server.provision({ users: [{ username: `real-${number}`, phone_number: number, password: PASSWORD }] });
    assert.equal(await ownerOf(number), await ownerOf(`real-${number}`));
    assert.equal((await passwordGrant(number)).status, 200);
    const third = await server.person();
    const patched = await owner.ask('PATCH', `/users/${third.sub}`, { phone_number: number });
    assert.equal(patched.status, 409, 'an operator cannot give one number to two');
    assert.equal(
      (await save(third, { phone_number: number })).url,
      `${server.base}/account`,
      'and nobody learns whose it is',
    );
  });

  it('cannot be made a user name', async () => {
    assert.equal((await save(thief, { username: number })).status, 400);
    for (const name of [number.slice(1), '1380', '４４４４', '+٤٤٤', 'x@example.org'])
      assert.equal((await save(thief, { username: name })).status, 400, name);
    assert.equal(await ownerOf(number), undefined);
  });

  it('becomes a name to sign in with when an operator sets it, or says that it is verified', async () => {
    assert.equal((await owner.ask('PATCH', `/users/${thief.sub}`, { phone_number: number })).status, 200);
    assert.equal(await ownerOf(number), thief.sub);
    const other = await server.person();
    const further = `${number}9`;
    await save(other, { phone_number: further });
    assert.equal(await ownerOf(further), undefined);
    assert.equal((await owner.ask('PATCH', `/users/${other.sub}`, { phone_number_verified: true })).status, 200);
    assert.equal(await ownerOf(further), other.sub);
    assert.equal((await save(other, { phone_number: `${further}9` })).status, 200);
    assert.deepEqual(
      [await ownerOf(further), await ownerOf(`${further}9`)],
      [undefined, undefined],
      'another one is claimed again',
    );
  });

  it('becomes one by an apply file that has it, and stays a claim by one that has not', async () => {
    await server.provision({ users: [{ username: thief.username, nickname: 'Al' }] });
    assert.equal(await ownerOf(number), undefined);
    assert.equal((await stored(thief))?.phoneNumber, number);
    await server.provision({ users: [{ username: thief.username, phone_number: number }] });
    assert.equal(await ownerOf(number), thief.sub);
  });

  it('is not in an export: that is what operators have set, and a number can be there once only', async () => {
    const other = await server.person();
    await save(other, { phone_number: number });
    let text = '';
    for await (const part of exportText(server.services, { format: 'json', users: true, passwordHashes: false }))
      text += part;
    assert(!text.includes(number), text);
    const read = readApplyFiles(fields, [{ name: 'export', text }]);
    assert(read.kind === 'valid', text);
    const { changes, faults } = await planChanges(server.services, read.file);
    assert.deepEqual([changes, faults], [[], []]);
  });

  it('a number that an operator has set stays one when the person writes it differently', async () => {
    const set = `${number}7`;
    const person = await server.person({ phone_number: set });
    await save(person, { phone_number: `${set.slice(0, 3)} ${set.slice(3)}` });
    assert.equal(await ownerOf(set), person.sub);
  });
});
