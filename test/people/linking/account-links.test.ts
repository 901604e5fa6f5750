import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { createMailSender } from '../../../src/notify/mail/job.ts';
import { eventDuring } from '../../build/events.ts';
import { aUser, PASSWORD } from '../../build/fixture.ts';
import { mailsIn } from '../../build/mailbox.ts';
import { testPart } from '../../build/suite-part.ts';
import { answerIn, formWith, type Seen, Visitor } from '../../build/visitor.ts';
import { aProvider, federated, signInAtCorp, throughProvider } from '../federation/federated.ts';

const outbox = mkdtempSync(join(tmpdir(), 'gatehouse-outbox-'));

describe('links of the person on /account/security', () => {
  const { server, corp } = federated({
    provider: { domains: ['corp.example'] },
    users: [],
    env: { MAIL_URL: `file:${outbox}` },
  });
  let count = 0;
  let username: string;
  beforeEach(async () => {
    username = `person${++count}`;
    const email = `${username}@here.example`;
    await server.provision({
      users: [aUser({ username, email, phone_number: null, phone_number_verified: false })],
    });
  });
  const visitor = testPart(() => new Visitor(server.base));
  beforeEach(() => {
    corp.person = { sub: `s-${username}`, email: `${username}@corp.example` };
  });

  const store = () => server.services.store;
  const subOf = async (name = username) => (await store().findAccount(name))?.sub ?? '';
  const linksOf = async (name?: string) => (await store().linksOf(await subOf(name))).map(({ subject }) => subject);
  const open = async (browser = visitor, name = username): Promise<Seen> => {
    const seen = await browser.follow(`${server.base}/account/security`);
    if (!seen.text.includes('name="password"')) return seen;
    return browser.send(formWith(seen, 'password'), { username: name, password: PASSWORD });
  };
  /** The form that connects this provider. */
  const connect = (page: Seen, id = 'corp') => {
    const form = page.text.match(/<form\b[\s\S]*?<\/form>/g)?.find(text => text.includes(`/login/provider/${id}"`));
    assert(form, page.text);
    return formWith({ ...page, text: form }, 'pending');
  };
  const add = async (browser = visitor, page?: Seen) => {
    const at = page ?? (await open(browser));
    return throughProvider(server, browser, await browser.send(connect(at)));
  };
  const disconnect = async (page: Seen, browser = visitor) =>
    browser.send(formWith(page, 'action" value="disconnect'), { action: 'disconnect' });

  it('one is added, told by mail, and signs in from then on', async () => {
    let page: Seen | undefined;
    const event = await eventDuring(server, 'user.linked', async () => {
      page = await add();
    });
    assert.deepEqual(
      [event.subject, event.actor, event.details],
      [await subOf(), { kind: 'user', id: await subOf() }, { provider: 'corp' }],
    );
    assert.equal(page?.url, `${server.base}/account/security`);
    assert.match(page?.text ?? '', new RegExp(`<strong>Corp</strong> ${username}@corp.example`));
    await createMailSender(server.services).run();
    assert(
      mailsIn(outbox).some(({ text }) => text.includes(`Hello ${username}`) && /sign-in\s+with\s+Corp/.test(text)),
    );
    const { seen } = await signInAtCorp(server);
    assert(answerIn(seen).code, seen.text);
  });

  it('it takes a fresh proof: a session that is older is asked before the browser goes to the provider', async () => {
    const page = await open();
    const { clock } = server.services;
    const now = clock.now;
    clock.now = () => now.call(clock) + 301;
    try {
      const asked = await visitor.send(connect(page));
      assert.match(asked.url, /\/login\?/);
      assert.deepEqual(await linksOf(), []);
    } finally {
      clock.now = now;
    }
  });

  it('it takes a fresh proof also where the request of the page is sent to the sign-in page', async () => {
    const page = await open();
    const { fields } = connect(page);
    const { clock } = server.services;
    const now = clock.now;
    clock.now = () => now.call(clock) + 301;
    try {
      for (const typed of [{ username: 'anybody@corp.example' }, { username, password: PASSWORD }]) {
        const sent = {
          action: `${server.base}/login`,
          fields: new URLSearchParams({ pending: fields.get('pending') ?? '' }),
        };
        const seen = await visitor.send(sent, typed);
        assert(!seen.location?.startsWith(corp.issuer), 'the browser goes to no provider');
        assert.match(seen.url, /\/login\?/, 'the account page asks for the proof');
      }
      assert.deepEqual(await linksOf(), []);
    } finally {
      clock.now = now;
    }
  });

  it('a person who has another account here is not taken from it', async () => {
    await add();
    const first = username;
    await server.provision({
      users: [
        aUser({
          username: `${first}b`,
          email: null,
          email_verified: false,
          phone_number: null,
          phone_number_verified: false,
        }),
      ],
    });
    const other = new Visitor(server.base);
    const told = await add(other, await open(other, `${first}b`));
    assert.match(told.text, /is already connected to another account here/);
    assert.deepEqual([await linksOf(first), await linksOf(`${first}b`)], [[`s-${first}`], []]);
  });

  it('the answer for one user links nothing where another has signed in meanwhile', async () => {
    const gone = await visitor.send(connect(await open()));
    await server.provision({
      users: [
        aUser({
          username: `${username}b`,
          email: null,
          email_verified: false,
          phone_number: null,
          phone_number_verified: false,
        }),
      ],
    });
    // The same browser, as somebody else.
    visitor.cookies.delete('gatehouse_session');
    await open(visitor, `${username}b`);
    const refused = await throughProvider(server, visitor, gone);
    assert.equal(refused.status, 400);
    assert.deepEqual([await linksOf(), await linksOf(`${username}b`)], [[], []]);
  });

  it('who turns back at the provider is told nothing, and nothing is linked', async () => {
    const page = await open();
    corp.person = undefined;
    const back = await add(visitor, page);
    assert.match(back.url, /\/account\/security/);
    assert.deepEqual(await linksOf(), []);
  });

  it('one is removed, and the person is told', async () => {
    const page = await add();
    const event = await eventDuring(server, 'user.unlinked', async () => {
      const after = await disconnect(page);
      assert.match(after.text, /Connect Corp/);
    });
    assert.deepEqual([event.subject, event.details], [await subOf(), { provider: 'corp' }]);
    assert.deepEqual(await linksOf(), []);
  });

  it('the last way in stays: no password, no passkey, no other link', async () => {
    const page = await add();
    await store().changePassword(await subOf(), undefined, server.services.clock.now());
    const browser = new Visitor(server.base);
    const { seen } = await signInAtCorp(server, { visitor: browser });
    assert(answerIn(seen).code, seen.text);
    const refused = await disconnect(page, browser);
    assert.equal(refused.status, 409);
    assert.match(refused.text, /it is your only way to sign in/);
    assert.deepEqual(await linksOf(), [`s-${username}`]);
  });

  it('of two links that are each the last way but for the other, one stays when both are removed at once', async () => {
    const sub = await subOf();
    const subjects = [`x-${username}`, `y-${username}`];
    const links = subjects.map(subject => ({ provider: 'corp', subject }));
    await server.provision({ users: [{ username, links }] });
    await store().changePassword(sub, undefined, server.services.clock.now());
    const act = { event: { ...(await eventOf()), id: 'e1' } };
    const outcomes = await Promise.all(
      links.map((link, index) =>
        store().unlinkUser(sub, link, true, { event: { ...act.event, id: `${sub}${index}` } }),
      ),
    );
    assert.deepEqual(outcomes.sort(), ['lastWay', 'unlinked']);
    assert.equal((await linksOf()).length, 1);
  });

  it('a link and a passkey that are each the last way but for the other: one stays when both are removed at once', async () => {
    const sub = await subOf();
    const link = { provider: 'corp', subject: `p-${username}` };
    await server.provision({ users: [{ username, links: [link] }] });
    await store().changePassword(sub, undefined, 1);
    const key = { credentialId: username, publicKey: 'AA', signCount: 0, isBackedUp: false, isSyncable: false };
    const made = { ...key, name: 'Key', challenge: username, challengeExpiresAt: 9e9, limit: 9, recoveryHashes: [] };
    const added = await store().addPasskey(sub, { ...made, id: username } as never, 1);
    assert.equal(added.kind, 'added');
    const [passkey] = await store().passkeysOf(sub);
    assert(passkey);
    const event = { ...(await eventOf()), id: `${sub}-p` };
    const outcomes = await Promise.all([
      store().unlinkUser(sub, link, true, { event }),
      store().removePasskey(sub, passkey.id, 1),
    ]);
    assert.equal(outcomes.filter(outcome => outcome === 'lastWay').length, 1, outcomes.join());
  });

  async function eventOf() {
    const [event] = await store().listEvents({}, { after: undefined, limit: 1 });
    assert(event);
    return { ...event, type: 'user.unlinked' as const };
  }

  it('a link to a provider that is gone is no way in', async () => {
    await server.provision({ providers: [{ ...aProvider(corp.issuer), id: 'other', name: 'Other' }] });
    await server.provision({
      users: [
        {
          username,
          links: [
            { provider: 'other', subject: 'o' },
            { provider: 'corp', subject: 'c' },
          ],
        },
      ],
    });
    const other = (await store().linksOf(await subOf())).length;
    assert.equal(other, 2);
    await store().changeProvider('other', () => ({ result: undefined, write: { value: null, act: { event: EVENT } } }));
    await store().changePassword(await subOf(), undefined, server.services.clock.now());
    assert.deepEqual(await linksOf(), ['c'], 'its links go with it');
    assert.equal(
      await store().unlinkUser(await subOf(), { provider: 'corp', subject: 'c' }, true, { event: EVENT }),
      'lastWay',
    );
  });
});

const EVENT = {
  id: 'evt-test',
  time: 1,
  type: 'provider.deleted',
  outcome: 'success',
  actor: { kind: 'system' },
} as const;
