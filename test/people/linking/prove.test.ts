import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anAuthenticator } from '../../build/authenticator.ts';
import { claimsOf, redeem } from '../../build/client.ts';
import { eventDuring, eventsOf } from '../../build/events.ts';
import { aUser, PASSWORD } from '../../build/fixture.ts';
import { answerIn, formWith, type Seen, Visitor } from '../../build/visitor.ts';
import { aProvider, federated, signInAtCorp } from '../federation/federated.ts';

const KEY = 'JBSWY3DPEHPK3PXP';

describe('a person whose address belongs to an account (contract, Linking)', () => {
  const { server, corp } = federated({
    users: ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace'].map(username => ({
      ...aUser({ username, email: `${username}@corp.example`, phone_number: null, phone_number_verified: false }),
      ...(username === 'carol' ? { totp_secret: KEY } : {}),
    })),
  });
  const subOf = async (username: string) => (await server.services.store.findAccount(username))?.sub ?? '';
  const linksOf = async (username: string) => server.services.store.linksOf(await subOf(username));
  const arrive = (sub: string, email: string, more: object = {}, visitor?: Visitor) => {
    corp.person = { sub, email, ...more };
    return signInAtCorp(server, visitor ? { visitor } : {});
  };
  const prove = (visitor: Visitor, page: Seen, username: string) =>
    visitor.send(formWith(page, 'password'), { username, password: PASSWORD });
  const signedInAs = async (seen: Seen) => {
    const { code } = answerIn(seen);
    assert(code, seen.text);
    return claimsOf((await redeem(server, code)).json.id_token);
  };

  it('is asked to sign in to it once, and signs in by the provider alone from then on', async () => {
    const { visitor, seen } = await arrive('c-alice', 'Alice@corp.example');
    assert.match(seen.url, /\/login\/link\?/);
    assert.match(seen.text, /Is this your account\?/);
    assert.deepEqual(await linksOf('alice'), [], 'nothing is linked before the proof');
    const event = await eventDuring(server, 'user.linked', async () => {
      const { sub, amr } = await signedInAs(await prove(visitor, seen, 'alice'));
      assert.equal(sub, await subOf('alice'));
      assert.deepEqual(amr, ['pwd'], 'the password was proved, and what the provider said was not used');
    });
    assert.deepEqual(event.details, { provider: 'corp' });
    assert.equal(event.subject, await subOf('alice'));
    const again = await signedInAs((await arrive('c-alice', 'Alice@corp.example')).seen);
    assert.deepEqual([again.sub, again.amr], [await subOf('alice'), ['fed']]);
  });

  it('a wrong password links nothing', async () => {
    const { visitor, seen } = await arrive('c-bob', 'bob@corp.example');
    const refused = await visitor.send(formWith(seen, 'password'), { username: 'bob', password: 'wrong' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /action="\/login\/link"/, 'the page asks again');
    assert.deepEqual(await linksOf('bob'), []);
  });

  it('the second factor of the account is asked for before the link is made', async () => {
    const { visitor, seen } = await arrive('c-carol', 'carol@corp.example');
    const asked = await prove(visitor, seen, 'carol');
    assert.match(asked.url, /\/login\/totp\?/);
    assert.deepEqual(await linksOf('carol'), []);
    const code = anAuthenticator(server.services.clock, KEY).code();
    const { sub } = await signedInAs(await visitor.send(formWith(asked, 'code'), { code }));
    assert.equal(sub, await subOf('carol'));
    assert.equal((await linksOf('carol')).length, 1);
  });

  it('another account than the one with the address is not linked, and opens no session', async () => {
    const { visitor, seen } = await arrive('c-dave', 'dave@corp.example');
    const told = await prove(visitor, seen, 'erin');
    assert.match(told.text, /You signed in to a different account than the one with your address at Corp/);
    assert.equal(visitor.cookies.get('gatehouse_session'), undefined);
    assert.deepEqual([await linksOf('dave'), await linksOf('erin')], [[], []]);
  });

  it('turning back makes no link, and offers the other ways', async () => {
    const { visitor, seen } = await arrive('c-dave2', 'dave@corp.example');
    const back = await visitor.send(formWith(seen, 'action" value="cancel'), { action: 'cancel' });
    assert.match(back.text, /action="\/login"/);
    const signedIn = await prove(visitor, back, 'dave');
    assert.equal((await signedInAs(signedIn)).sub, await subOf('dave'));
    assert.deepEqual(await linksOf('dave'), []);
  });

  it('the step is good in the browser that was at the provider alone', async () => {
    const { seen } = await arrive('c-frank', 'frank@corp.example');
    const thief = new Visitor(server.base);
    await thief.follow(`${server.at()}/auth?client_id=web&response_type=code&redirect_uri=https://client.example/cb`);
    const refused = await thief.send(formWith(seen, 'password'), { username: 'frank', password: PASSWORD });
    assert.equal(refused.status, 400);
    assert.deepEqual(await linksOf('frank'), []);
  });

  it('a session of the account from before is no proof: a fresh one is asked for', async () => {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(`${server.base}/account/security`);
    await prove(visitor, page, 'frank');
    corp.person = { sub: 'c-frank2', email: 'frank@corp.example' };
    const { seen } = await signInAtCorp(server, { visitor, fields: { prompt: 'login' } });
    assert.match(seen.url, /\/login\/link\?/);
    assert.deepEqual(await linksOf('frank'), []);
  });

  it('a disabled account stays disabled, before and after it is linked', async () => {
    await server.provision({ users: [{ username: 'grace', disabled: true }] });
    const { visitor, seen } = await arrive('c-grace', 'grace@corp.example');
    assert.equal((await prove(visitor, seen, 'grace')).status, 400);
    assert.deepEqual(await linksOf('grace'), []);
    await server.provision({ users: [{ username: 'grace', links: [{ provider: 'corp', subject: 'c-grace' }] }] });
    const { visitor: other, seen: told } = await arrive('c-grace', 'grace@corp.example');
    assert.match(told.text, /your account here is disabled/);
    assert.equal(other.cookies.get('gatehouse_session'), undefined);
  });

  it('two people of the provider can be linked to one account, one by one', async () => {
    for (const sub of ['c-erin', 'c-erin2']) {
      const { visitor, seen } = await arrive(sub, 'erin@corp.example');
      await signedInAs(await prove(visitor, seen, 'erin'));
    }
    const subjects = (await linksOf('erin')).map(({ subject }) => subject);
    assert.deepEqual(subjects, ['c-erin', 'c-erin2']);
  });

  it('the failures are events, and say why', async () => {
    const failed = await eventsOf(server, { types: ['provider.sign_in.failed'] });
    const reasons = new Set(failed.map(({ details }) => details?.reason));
    assert.deepEqual([...reasons].sort(), ['disabled', 'otherAccount']);
  });

  describe('with trusts_email', () => {
    const cases = [
      { said: true, verified: true, trusts: true, linked: true },
      { said: 'true', verified: true, trusts: true, linked: true },
      { said: false, verified: true, trusts: true, linked: false },
      { said: undefined, verified: true, trusts: true, linked: false },
      { said: true, verified: false, trusts: true, linked: false },
      { said: true, verified: true, trusts: false, linked: false },
    ];
    for (const [index, { said, verified, trusts, linked }] of cases.entries()) {
      const title = `${trusts ? 'trusted' : 'untrusted'}, verified there: ${said}, here: ${verified}`;
      it(`${title}: ${linked ? 'is linked at once' : 'has to prove the account'}`, async () => {
        const [username, email] = [`t${index}`, `t${index}@corp.example`];
        await server.provision({
          providers: [aProvider(corp.issuer, { trusts_email: trusts })],
          users: [{ username, email, email_verified: verified, password: PASSWORD }],
        });
        const { seen } = await arrive(`t-${index}`, email, { email_verified: said });
        if (!linked) {
          assert.match(seen.url, /\/login\/link\?/);
          assert.deepEqual(await linksOf(username), []);
          return;
        }
        const { sub, amr } = await signedInAs(seen);
        assert.deepEqual([sub, amr], [await subOf(username), ['fed']]);
        assert.equal((await linksOf(username)).length, 1);
      });
    }

    it('a disabled account is not joined', async () => {
      await server.provision({
        providers: [aProvider(corp.issuer, { trusts_email: true })],
        users: [{ username: 'gone', email: 'gone@corp.example', email_verified: true, disabled: true }],
      });
      const { visitor, seen } = await arrive('t-gone', 'gone@corp.example', { email_verified: true });
      assert.match(seen.text, /your account here is disabled/);
      assert.equal(visitor.cookies.get('gatehouse_session'), undefined);
      assert.deepEqual(await linksOf('gone'), []);
    });
  });

  it('without create_users only people who are linked or own an account come in', async () => {
    await server.provision({ providers: [aProvider(corp.issuer, { create_users: false, trusts_email: false })] });
    const { seen } = await arrive('c-stranger', 'stranger@corp.example');
    assert.match(seen.text, /you have no account here/);
    assert.equal(await server.services.store.findAccount('stranger@corp.example'), undefined);
    assert.equal((await signedInAs((await arrive('c-alice', 'alice@corp.example')).seen)).sub, await subOf('alice'));
  });
});
