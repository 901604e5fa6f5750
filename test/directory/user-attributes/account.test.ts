import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exportOf } from '../../../src/people/my-data/export.ts';
import { type Person, startAccountServer } from '../../build/account.ts';
import { filledForm } from '../../build/console.ts';
import { eventDuring, eventsDuring } from '../../build/events.ts';
import { suitePart } from '../../build/suite-part.ts';

describe('user attributes on the account page', () => {
  const server = suitePart(() =>
    startAccountServer({
      user_attributes: [
        { name: 'team', label: 'Team', editable_by: 'user' },
        { name: 'start', label: 'Start <day>', type: 'date', editable_by: 'user' },
        { name: 'size', label: 'Size', type: 'number', editable_by: 'user' },
        { name: 'news', label: 'Newsletter', type: 'boolean', editable_by: 'user' },
        { name: 'langs', label: 'Languages', type: 'list', editable_by: 'user' },
        { name: 'grade', label: 'Grade', editable_by: 'operator' },
      ],
    }),
  );
  const stored = async ({ sub }: Person) => (await server.services.store.findUser(sub))?.standardClaims?.attributes;
  const edit = async (person: Person) => filledForm(await person.open('/account/profile'), 'nickname');

  it('are shown, also those that operators edit, and are part of what a person exports', async () => {
    const attributes = { team: 'Red', news: true, grade: 'B', langs: ['de', 'en'], size: 1.5 };
    const person = await server.person({ attributes });
    const { text } = await person.open('/account');
    for (const shown of ['Red', 'Yes', 'de, en', '1.5', 'Grade', '<dd>B</dd>', 'Start &lt;day&gt;']) {
      assert(text.includes(shown), shown);
    }
    const user = await server.services.store.findUser(person.sub);
    assert(user);
    assert.deepEqual((await exportOf(server.services, user)).profile.attributes, attributes);
  });

  it('are changed by the user where the definition says so, with an event that names them', async () => {
    const person = await server.person({ attributes: { grade: 'B', team: 'Red' } });
    const form = await edit(person);
    const event = await eventDuring(server, 'user.updated', async () => {
      const saved = await person.browser.send(form, {
        'attributes.team': '',
        'attributes.start': '2026-01-31',
        'attributes.size': '1,5',
        'attributes.news': 'false',
        'attributes.langs': 'de\r\nen',
        nickname: 'Nick',
      });
      assert.equal(saved.url, `${server.base}/account`);
    });
    const expected = { grade: 'B', start: '2026-01-31', size: 1.5, news: false, langs: ['de', 'en'] };
    assert.deepEqual(await stored(person), expected);
    const named = event.details?.fields as string[];
    const fields = ['nickname', ...['langs', 'news', 'size', 'start', 'team'].map(name => `attributes.${name}`)];
    assert.deepEqual([event.actor.id, named.toSorted()], [person.sub, fields.toSorted()]);
    assert.deepEqual(
      await eventsDuring(server, 'user.updated', async () => person.browser.send(await edit(person))),
      [],
    );
  });

  it('stay as they are where only operators edit them, whatever the form sends', async () => {
    const person = await server.person({ attributes: { grade: 'B' } });
    const form = await edit(person);
    assert(!form.fields.has('attributes.grade'));
    await person.browser.send(form, { 'attributes.grade': 'A', 'attributes.admin': 'true', nickname: 'X' });
    assert.deepEqual(await stored(person), { grade: 'B' });
  });

  it('tell what is wrong in the language of the reader, and keep what was typed', async () => {
    const person = await server.person();
    for (const [language, message] of [
      ['en', 'Enter a number, such as 12.5.'],
      ['zh', '请输入数字，例如 12.5。'],
      ['de', 'Geben Sie eine Zahl ein, zum Beispiel 12,5.'],
    ] as const) {
      const form = await edit(person);
      const typed = { 'attributes.size': 'large', 'attributes.team': 'Blue' };
      const refused = await person.browser.send(form, typed, { 'accept-language': language });
      assert.equal(refused.status, 400, refused.text);
      assert(refused.text.includes(message), message);
      assert(refused.text.includes('value="large"') && refused.text.includes('value="Blue"'));
    }
    assert.equal(await stored(person), undefined);
    const long = await person.browser.send(await edit(person), { 'attributes.team': 'x'.repeat(501) });
    assert(long.text.includes('Enter at most 500 characters, on one line.'));
  });
});
