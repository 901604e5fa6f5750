import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filledForm, titleOf } from '../../build/console.ts';
import { actForm, openConsole } from '../../build/in-console.ts';
import { suitePart } from '../../build/suite-part.ts';
import { formWith, type Seen } from '../../build/visitor.ts';

const console = suitePart(() => openConsole());

const documentTitle = ({ text }: Seen) => /<title>(.*?)<\/title>/.exec(text)?.[1];
const focused = ({ text }: Seen) => [...text.matchAll(/<(\w+)[^>]*\sautofocus[^>]*>/g)].map(([tag]) => tag);
const noticeIn = ({ text }: Seen) => /class="notice" role="status">([^<]*)</.exec(text)?.[1];

describe('a form of the console that was sent with faults (look.md: forms)', () => {
  it('has the focus on the first field at fault, which says so and names its fault', async () => {
    const { visitor, seen } = await console.inConsole('/console/applications/new');
    assert.deepEqual(focused(seen), []);
    const faulty = await visitor.send(formWith(seen, 'code'), { code: 'fine', name: '' });
    const [field = '', ...others] = focused(faulty);
    assert.deepEqual(others, [], 'one element of a page has the focus');
    assert.match(field, / id="name".* aria-invalid="true".* aria-describedby="name-hint name-fault"/);
    assert.match(faulty.text, /id="name-fault"/);
  });

  it('has the focus on the sentence above it if no field is at fault', async () => {
    const { visitor, seen } = await console.inConsole('/console/applications/shop/look');
    await console.owner.ask('PATCH', '/applications/shop', { name: 'Changed meanwhile' });
    const late = await visitor.send(formWith(seen, 'name'), { name: 'Mine' });
    assert.deepEqual(focused(late), ['<div class="alert" role="alert" tabindex="-1" autofocus>']);
  });

  it('has the focus on the first of the boxes at fault', async () => {
    const { visitor, seen } = await console.inConsole('/console/applications/shop/clients/new');
    const form = filledForm(seen, 'client_name');
    const values = { token_endpoint_auth_method: 'none', 'grant_types.password': 'true' };
    const faulty = await visitor.send(form, {
      client_name: 'Public',
      redirect_uris: 'https://one.example/',
      ...values,
    });
    assert.equal(faulty.status, 400, faulty.text);
    const [box = ''] = focused(faulty);
    assert.match(box, / id="grant_types\..* aria-describedby="grant_types-fault"/);
  });

  it('tells a fault of a part of the address beside that part, and unfolds it', async () => {
    const { visitor, seen } = await console.inConsole('/console/users/new');
    const faulty = await visitor.send(formWith(seen, 'username'), {
      username: 'dora',
      'address.country': 'x'.repeat(10_000),
    });
    assert.equal(faulty.status, 400);
    assert.match(focused(faulty)[0] ?? '', / id="address\.country"/);
    assert.match(faulty.text, /<details class="more" open>/);
  });

  it('says in the title that there is a fault, in both languages', async () => {
    const { visitor, seen } = await console.inConsole('/console/applications/new');
    assert.equal(documentTitle(seen), 'New application · Gatehouse');
    const values = { code: 'x', name: '' };
    const faulty = await visitor.send(formWith(seen, 'code'), values);
    assert.equal(documentTitle(faulty), 'Error: New application · Gatehouse');
    const chinese = await visitor.send(formWith(seen, 'code'), values, { 'accept-language': 'zh' });
    assert.equal(documentTitle(chinese), '填写有误：新建应用 · Gatehouse');
  });
});

describe('a form of the console that was done says what happened', () => {
  it('an application: created, saved, deleted, restored', async () => {
    const { visitor, seen } = await console.inConsole('/console/applications/new');
    const made = await visitor.send(formWith(seen, 'code'), { code: 'brief', name: 'Brief' });
    assert.equal(noticeIn(made), 'Created.');
    const look = await visitor.go(console.at('/console/applications/brief/look'));
    assert.equal(made.url.split('?')[0], console.at('/console/applications/brief'));
    assert.equal(noticeIn(await visitor.send(formWith(look, 'name'), { name: 'Brief' })), 'Saved.');
    const advanced = await visitor.go(console.at('/console/applications/brief/advanced'));
    const gone = await visitor.send(formWith(advanced, 'confirm'), { confirm: 'brief' });
    assert.equal(noticeIn(gone), 'The application is deleted. It can be restored for 30 days.');
    const back = await visitor.send(actForm(gone, 'restore', 'brief'));
    assert.equal(noticeIn(back), 'The application is restored.');
    assert.equal(back.url.split('?')[0], console.at('/console/applications/brief'));
    assert.equal(noticeIn(await visitor.go(console.at('/console/applications'))), undefined);
    assert.equal(noticeIn(await visitor.go(console.at('/console/applications?done=toString'))), undefined);
  });

  it('a user: each act on the account', async () => {
    const sub = await console.subOf('bob');
    await console.inConsole('/console', 'bob', 'auditor');
    const { visitor, seen } = await console.inConsole(`/console/users/${sub}`);
    const [session] = (await console.owner.ask('GET', `/users/${sub}/sessions`)).json.items;
    const ended = await visitor.send(actForm(seen, 'end-session', session.id));
    assert.equal(noticeIn(ended), 'The session has ended.');
    const disabled = await visitor.send(actForm(ended, 'disable'));
    assert.equal(noticeIn(disabled), 'The user is disabled.');
    const enabled = await visitor.send(actForm(disabled, 'enable'));
    assert.equal(noticeIn(enabled), 'The user is enabled.');
    const signedOut = await visitor.send(actForm(enabled, 'sign-out'));
    assert.equal(noticeIn(signedOut), 'Signed out everywhere.');
    const set = await visitor.send(actForm(signedOut, 'password'), { password: 'another-long-password' });
    assert.equal(noticeIn(set), 'The password is set.');
    const faulty = await visitor.send({ ...actForm(set, 'password'), action: set.url }, { password: '' });
    assert.equal(noticeIn(faulty), undefined, 'not of a form before');
    await console.owner.ask('DELETE', `/operators/${sub}`);
  });

  it('a webhook: test, redelivery, pause and resumption', async () => {
    const { id } = (await console.owner.ask('POST', '/webhooks', { url: 'https://hooks.example/' })).json;
    const { visitor, seen } = await console.inConsole(`/console/webhooks/${id}`);
    const tested = await visitor.send(actForm(seen, 'test'));
    assert.match(noticeIn(tested) ?? '', /^A test is on its way/);
    const again = await visitor.send(actForm(tested, 'redeliver'));
    assert.match(noticeIn(again) ?? '', /^It is being sent again/);
    const paused = await visitor.send(actForm(again, 'pause'));
    assert.equal(noticeIn(paused), 'Deliveries are paused.');
    assert.equal(noticeIn(await visitor.send(actForm(paused, 'resume'))), 'Deliveries are resumed.');
  });
});

describe('/console/applications', () => {
  it('finds applications by a part of the name or the code, and says how to see all of them', async () => {
    await console.owner.ask('POST', '/applications', { code: 'library-7', name: 'Bücher & Mehr' });
    const { visitor } = await console.inConsole('/console/applications');
    const found = async (q: string) => {
      const { text } = await visitor.go(console.at(`/console/applications?q=${encodeURIComponent(q)}`));
      return [...text.matchAll(/href="\/console\/applications\/([\w-]+)"><strong>/g)].map(([, code]) => code);
    };
    assert.deepEqual(await found('RARY-'), ['library-7']);
    assert.deepEqual(await found('& mehr'), ['library-7']);
    assert.deepEqual(await found('Bücher'), ['library-7']);
    assert.deepEqual(await found('%'), []);
    const none = await visitor.go(console.at('/console/applications?q=%25'));
    assert.match(none.text, /No application has “%” in its name or code\..*<a href="\/console\/applications">/s);
  });

  it('the page of an application has its recent refusals, each with its explanation', async () => {
    await fetch(`${console.server.at()}/auth?client_id=nobody&response_type=code`);
    const { seen } = await console.inConsole('/console/applications/shop');
    assert.match(
      seen.text,
      /Recent refusals<\/h2>.*The client does not exist.*href="\/console\/refusals\/[\w-]+">Explain/s,
    );
    assert.match(seen.text, /href="\/console\/refusals\?application=shop"/);
  });
});

describe('the rail of the console', () => {
  const linksIn = ({ text }: Seen) => {
    const links = /<div class="links">([\s\S]*?)<\/div>/.exec(text)?.[1] ?? '';
    return [...links.matchAll(/href="([^"]*)"/g)].map(([, path = '']) => path);
  };

  it('has every place for a role without a limit', async () => {
    const { seen } = await console.inConsole('/console', 'carol', 'auditor');
    assert.deepEqual(linksIn(seen), [
      '/console',
      '/console/applications',
      '/console/users',
      '/console/user-attributes',
      '/console/providers',
      '/console/activity',
      '/console/refusals',
      '/console/webhooks',
      '/console/operators',
      '/console/status',
      '/console/settings',
    ]);
    await console.owner.ask('DELETE', `/operators/${await console.subOf('carol')}`);
  });

  it('has only what a role that is limited to applications may open, and offers no new application', async () => {
    const limited = { username: 'carol', role: 'owner', applications: ['shop'] };
    await console.owner.ask('POST', '/operators', limited);
    const { visitor, seen } = await console.inConsole('/console', 'carol');
    const shown = linksIn(seen);
    for (const path of shown) assert.equal((await visitor.go(console.at(path))).status, 200, path);
    for (const path of ['users', 'operators', 'api-keys', 'settings']) {
      assert(!shown.includes(`/console/${path}`), path);
      const refused = await visitor.go(console.at(`/console/${path}`));
      assert.deepEqual([refused.status, titleOf(refused)], [404, 'Page not found'], path);
      assert.match(refused.text, /Your role is owner, for these applications only: shop\./);
      assert.deepEqual(linksIn(refused), shown, 'the rail is there to go on with');
    }
    assert.match(seen.text, /Only shop/);
    const applications = await visitor.go(console.at('/console/applications'));
    assert(!applications.text.includes('/console/applications/new'));
    await console.owner.ask('DELETE', `/operators/${await console.subOf('carol')}`);
  });
});
