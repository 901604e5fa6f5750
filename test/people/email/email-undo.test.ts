import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import { fixedClock } from '../../build/clock.ts';
import { eventsOf } from '../../build/events.ts';
import { anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { codeIn, MailTown } from '../../build/mail-people.ts';
import { openOidcUpstream } from '../../build/oidc-upstream.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { bob, press, signedIn } from '../../build/people.ts';
import { testPart } from '../../build/suite-part.ts';
import { formWith, signIn, Visitor } from '../../build/visitor.ts';
import { aProvider, throughProvider } from '../federation/federated.ts';

const [OLD, NEW, THIRD] = ['alice@example.com', 'new@example.com', 'third@example.com'];
const DAY = 86_400;
const OTHER_PASSWORD = 'a new long passphrase';

/** The link that the former address gets (accounts contract, Mail): to whom, and until when. */
describe('/undo-email', () => {
  let visitor: Visitor;
  let sub: string;
  const town = testPart(() => new MailTown());
  const server = testPart(() =>
    town.start({
      applications: [anApplication({ mfa: 'off' })],
      users: [
        aUser(),
        bob({ email_verified: false }),
        aUser({ username: 'tina', email: 'tina@example.com', phone_number: null, totp_secret: TOTP_SECRET }),
      ],
    }),
  );
  const owner = testPart(() => anOperatorClient(server));
  beforeEach(async () => {
    town.clock.advance(7 * DAY);
    visitor = await signedIn(server);
    sub = await subOf('alice');
  });

  const subOf = async (name: string) => (await server.services.store.findAccount(name))?.sub ?? '';
  const emailOf = async (of = sub) => (await server.services.store.findUser(of))?.email;
  const change = async (email = NEW, by = visitor) => {
    const asked = await by.send(formWith(await by.follow(`${server.base}/account/email`), 'email'), { email });
    const [mail] = (await mailsTo(email)).slice(-1);
    assert(mail);
    await by.send(formWith(asked, 'code'), { code: codeIn(mail) });
  };
  const links = async () =>
    (await town.sendMails()).flatMap(mail => mail.links.filter(link => link.includes('/undo-email')));
  const newLink = async () => {
    const link = (await links()).at(-1);
    assert(link, 'a mail with the way back');
    return link;
  };
  const undo = async (link: string, by = new Visitor(server.base)) => {
    const shown = await by.go(link);
    return shown.status === 200 ? by.send(formWith(shown, 'token')) : shown;
  };
  const mailsTo = async (address: string) =>
    (await town.sendMails()).filter(({ headers }) => headers.get('to') === address);
  /** Opened and sent: neither shows anything nor changes anything. */
  const assertVoid = async (link: string, seenBefore: Awaited<ReturnType<typeof opened>>) => {
    const before = await server.services.store.findUser(sub);
    assert.equal((await new Visitor(server.base).go(link)).status, 400);
    const { by, form } = seenBefore;
    assert.equal((await by.send(form)).status, 400, 'a page that was opened before');
    assert.deepEqual(await server.services.store.findUser(sub), before);
  };
  const opened = async (link: string) => {
    const by = new Visitor(server.base);
    return { by, form: formWith(await by.go(link), 'token') };
  };

  it('attack: a stranger whose address an operator has put on file, unverified, gets no mail and no link', async () => {
    await change(NEW, await signedIn(server, 'bob'));
    assert.equal(await emailOf(await subOf('bob')), NEW);
    assert.deepEqual(await mailsTo('bob@example.com'), []);
    assert.deepEqual(await links(), []);
  });

  it('attack: an address that was held for less than 7 days gets a mail without a link', async () => {
    const given = { email: 'thief@example.com', email_verified: true };
    assert.equal((await owner.ask('PATCH', `/users/${sub}`, given)).status, 200);
    town.clock.advance(7 * DAY - 600);
    visitor = await signedIn(server);
    await change();
    const told = (await mailsTo('thief@example.com')).filter(({ subject }) => subject.includes('was changed'));
    const sent = told.map(mail => mail.links);
    assert.deepEqual(sent, [[]]);
    assert.deepEqual(await links(), []);
  });

  it('attack: a thief changes the address A, B, C: A keeps the only link, and it undoes both', async () => {
    await change();
    const link = await newLink();
    assert.match(
      (await new Visitor(server.base).go(link)).text,
      /connected accounts that were added since the change\./,
    );
    await change(THIRD);
    assert.deepEqual(await links(), [link]);
    assert.equal((await undo(link)).status, 200);
    assert.equal(await emailOf(), OLD);
  });

  it('changing back to the former address is the undo', async () => {
    await change();
    const [link, seen] = [await newLink(), await opened(await newLink())];
    await change(OLD);
    await assertVoid(link, seen);
    assert.deepEqual(await links(), [link], 'none for the address in between');
    assert(await signedIn(server), 'the password stays');
  });

  it('attack: the link is sent by several browsers at once: it is good once', async () => {
    await change();
    const link = await newLink();
    const pages = await Promise.all([1, 2, 3, 4].map(() => opened(link)));
    const answers = await Promise.all(pages.map(({ by, form }) => by.send(form)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400]);
    assert.equal((await eventsOf(server, { types: ['user.email.restored'] })).length, 1);
  });

  it('attack: the link is opened after its 7 days', async () => {
    await change();
    const link = await newLink();
    town.clock.advance(7 * DAY);
    assert.equal((await undo(link)).status, 400);
    assert.equal(await emailOf(), NEW);
  });

  describe('attack: the link is opened after the repair', () => {
    const atSecurity = () => visitor.follow(`${server.base}/account/security`);
    const repairs: readonly (readonly [what: string, repair: () => Promise<unknown>])[] = [
      ['an operator set a password', () => owner.ask('PUT', `/users/${sub}/password`, { password: OTHER_PASSWORD })],
      ['an operator signed the user out', () => owner.ask('POST', `/users/${sub}/sign_out`)],
      ['an operator disabled and enabled the user', () => disableAndEnable()],
      ['an operator set another address', () => owner.ask('PATCH', `/users/${sub}`, { email: THIRD })],
      ['an apply file set another address', () => applyAddress()],
      ['an operator revoked it', () => owner.ask('DELETE', `/users/${sub}/email_undos`)],
      ['the person changed the password', () => changePassword()],
      ['the person added an authenticator app', () => addTotp()],
      ['the person signed out everywhere else', () => endOthers()],
      ['the person asked for the deletion of the account', () => leave()],
    ];
    const disableAndEnable = async () => {
      for (const disabled of [true, false]) await owner.ask('PATCH', `/users/${sub}`, { disabled });
    };
    const applyAddress = () => server.provision({ users: [aUser({ email: THIRD })] });
    const changePassword = async () => {
      const page = await visitor.follow(`${server.base}/account/security/password`);
      await visitor.send(formWith(page, 'current_password'), { current_password: PASSWORD, password: OTHER_PASSWORD });
    };
    const addTotp = async () => {
      const page = await visitor.follow(`${server.base}/account/security/totp`);
      const key = /id="totp-key"[^>]*>([^<]*)</.exec(page.text)?.[1] ?? '';
      await visitor.send(formWith(page, 'code'), { code: anAuthenticator(town.clock, key).code() });
      assert.match((await atSecurity()).text, /value="remove_totp"/);
    };
    const endOthers = async () => {
      await signedIn(server);
      await press(visitor, await visitor.follow(`${server.base}/account/sessions`), 'end_others');
    };
    const leave = async () => {
      const page = await visitor.follow(`${server.base}/account/data/delete`);
      await visitor.send(formWith(page, 'password'), { password: PASSWORD });
      assert.equal((await server.services.store.findUser(sub))?.disabled, true);
    };
    for (const [what, repair] of repairs) {
      it(`in which ${what}`, async () => {
        await change();
        const [link, seen] = [await newLink(), await opened(await newLink())];
        await repair();
        await assertVoid(link, seen);
      });
    }
  });

  it('a factor that was enrolled just before the change survives the undo', async () => {
    const tina = new Visitor(server.base);
    const app = anAuthenticator(town.clock);
    const asked = await signIn(server, {}, { visitor: tina, username: 'tina' });
    const page = asked.text.includes('name="code"') ? asked : await tina.follow(`${server.base}/account/email`);
    await tina.send(formWith(page, 'code'), { code: app.code() });
    await change(NEW, tina);
    assert.equal((await undo(await newLink())).status, 200);
    const factors = await server.services.store.userFactors(await subOf('tina'));
    const kinds = factors.map(({ kind }) => kind);
    assert.deepEqual(kinds, ['totp']);
  });
});

describe('/undo-email after an identity provider was connected', () => {
  const town = testPart(() => new MailTown());
  // What the provider signs has the time of the machine.
  const clock = testPart(() => fixedClock(Math.floor(Date.now() / 1000) - 7 * DAY));
  const server = testPart(() =>
    town.start({ clock, applications: [], env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' } }),
  );
  const corp = testPart(() => openOidcUpstream([`${server.base}/login/provider/corp/callback`]));
  const newestTo = async (address: string) =>
    (await town.sendMails()).findLast(({ headers }) => headers.get('to') === address) ?? assert.fail(address);

  it('attack: a provider that was connected after the change signs nobody in any more', async () => {
    await server.provision({
      providers: [aProvider(corp.issuer)],
      applications: [anApplication({ providers: ['corp'] })],
    });
    clock.advance(7 * DAY);
    const thief = await signedIn(server);
    const page = await thief.send(formWith(await thief.follow(`${server.base}/account/email`), 'email'), {
      email: NEW,
    });
    await thief.send(formWith(page, 'code'), { code: codeIn(await newestTo(NEW)) });
    corp.person = { sub: 'thief', email: 'thief@corp.example' };
    const security = await thief.follow(`${server.base}/account/security`);
    const form = security.text.match(/<form\b[\s\S]*?<\/form>/g)?.find(text => text.includes('/provider/corp"'));
    const connected = await throughProvider(
      server,
      thief,
      await thief.send(formWith({ ...security, text: form ?? '' }, 'pending')),
    );
    assert.match(connected.text, /thief@corp\.example/);
    const [link = ''] = (await newestTo(OLD)).links;
    const visitor = new Visitor(server.base);
    assert.equal((await visitor.send(formWith(await visitor.go(link), 'token'))).status, 200);
    const { sub = '' } = (await server.services.store.findAccount('alice')) ?? {};
    assert.deepEqual(await server.services.store.linksOf(sub), []);
  });
});
