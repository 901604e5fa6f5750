import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { suitePart } from '../build/suite-part.ts';
import { foreignWordsIn } from '../build/text-tables.ts';
import { until } from '../build/until.ts';
import { authorizationUrl, query } from '../build/visitor.ts';
import { axeFindingsLightAndDark, openInspection } from './axe.ts';
import { visit, withoutStatusNotes } from './browser-fixture.ts';
import { openChromium } from './chromium.ts';
import { openClientSite } from './client-site.ts';
import { gallery } from './gallery/gallery.ts';
import { openGallery } from './gallery/server.ts';

const server = suitePart(openGallery);
const browser = suitePart(openChromium);

describe('every page', () => {
  const seen = suitePart(() => openInspection(browser, { viewport: { width: 360, height: 720 } }));

  for (const { name, open } of gallery) {
    it(`${name}: axe finds nothing, light or dark, nothing is wider than a phone, and the browser has no complaint`, async () => {
      const { page } = seen;
      await seen.forget();
      await open(page, server);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, 'scrolls sideways');
      const columns = await page.evaluate<number[]>(
        "[...document.querySelectorAll('.rows li > :first-child')].map(text => text.getBoundingClientRect().width)",
      );
      assert(
        columns.every(width => width >= 150),
        `a button squeezes the text beside it: ${columns}`,
      );
      assert.deepEqual(await axeFindingsLightAndDark(page), []);
      // The page that sends itself is held by taking its script away, which the browser rightly notes.
      const complaints = withoutStatusNotes(seen.complaints).filter(text => !text.includes('net::ERR_FAILED'));
      assert.deepEqual(complaints, []);
    });
  }
});

/** German is the longest of the languages. */
describe('every page in German', () => {
  const seen = suitePart(() => visit(browser, { locale: 'de-DE', viewport: { width: 360, height: 720 } }));

  for (const { name, open } of gallery.filter(({ translated }) => translated)) {
    it(`${name}: nothing is wider than a phone, squeezed, or in English`, async () => {
      const { page } = seen;
      await seen.forget();
      await open(page, server);
      assert.equal(await page.locator('html').getAttribute('lang'), 'de');
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, 'scrolls sideways');
      const columns = await page.evaluate<number[]>(
        "[...document.querySelectorAll('.rows li > :first-child')].map(text => text.getBoundingClientRect().width)",
      );
      assert(
        columns.every(width => width >= 150),
        `a button squeezes the text beside it: ${columns}`,
      );
      assert.deepEqual(await foreignWordsIn(await page.content()), []);
    });
  }
});

describe('what the pages forbid', () => {
  it('runs no script that is not a file of ours, and the browser says so', async t => {
    const { page, complaints, close } = await visit(browser);
    t.after(close);
    await page.goto(authorizationUrl(server));
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('script'), { text: 'planted = 1' }))`,
    );
    assert.equal(await page.evaluate('typeof planted'), 'undefined');
    assert.match(complaints.join(), /Content Security Policy/);
  });

  for (const path of ['/api/v1/authorize/shop/oauth2/auth?', '/docs/errors?', '/nowhere?']) {
    it(`${path} is not shown in a frame of another site`, async t => {
      const site = await openClientSite();
      t.after(site.close);
      const { page, complaints, close } = await visit(browser);
      t.after(close);
      const src = `${server.base}${path}${query({ client_id: 'web', response_type: 'code', redirect_uri: 'https://client.example/cb' })}`;
      await page.goto(`${site.origin}/frame?${query({ src })}`);
      // A frame of another site is a process of its own, and tells by and by.
      await until('the frame is empty', () => page.frames()[1]?.url() === 'chrome-error://chromewebdata/');
      await until('the browser says why', () => /frame-ancestors|X-Frame-Options/.test(complaints.join()));
    });
  }
});

describe('the language of the pages (row 21, RFC 9110 section 12.5.4)', () => {
  const cases = [
    { browserSpeaks: 'zh-CN', ui_locales: undefined, lang: 'zh-Hans', button: '登录' },
    { browserSpeaks: 'en-GB', ui_locales: 'zh-CN en', lang: 'zh-Hans', button: '登录' },
    { browserSpeaks: 'de-AT', ui_locales: undefined, lang: 'de', button: 'Anmelden' },
    { browserSpeaks: 'zh-CN', ui_locales: 'fr en', lang: 'en', button: 'Sign in' },
    { browserSpeaks: 'fr-FR', ui_locales: undefined, lang: 'en', button: 'Sign in' },
  ];
  for (const { browserSpeaks, ui_locales, lang, button } of cases) {
    it(`is ${lang} for a browser in ${browserSpeaks} and ui_locales ${ui_locales ?? 'absent'}`, async t => {
      const { page, complaints, close } = await visit(browser, { locale: browserSpeaks });
      t.after(close);
      await page.goto(authorizationUrl(server, { ui_locales }));
      assert.equal(await page.locator('html').getAttribute('lang'), lang);
      assert.equal(await page.locator('form button[type=submit]').first().textContent(), button);
      assert.deepEqual(complaints, []);
      // The message about a wrong password speaks the same language.
      await page.locator('[name=username]').fill('alice');
      await page.locator('[name=password]').fill('wrong');
      await page.locator('[name=password]').press('Enter');
      const alert = await page.getByRole('alert').textContent();
      assert.match(alert ?? '', { en: /do not match/, 'zh-Hans': /不匹配/, de: /passen nicht zusammen/ }[lang] ?? /^$/);
    });
  }
});

describe('the show-password button', () => {
  it('is there with script, shows and hides, and hides before the form is sent', async t => {
    const { page, close } = await visit(browser);
    t.after(close);
    await page.goto(authorizationUrl(server));
    const password = page.locator('[name=password]');
    await page.getByRole('button', { name: 'Show password' }).click();
    assert.equal(await password.getAttribute('type'), 'text');
    await page.getByRole('button', { name: 'Hide password' }).click();
    assert.equal(await password.getAttribute('type'), 'password');
    await page.getByRole('button', { name: 'Show password' }).click();
    await page.evaluate(`document.forms[0].addEventListener('submit', event => event.preventDefault())`);
    await page.locator('[name=username]').fill('alice');
    await password.fill('secret');
    await password.press('Enter');
    assert.equal(await password.getAttribute('type'), 'password');
  });

  it('is not there without script, where it could do nothing', async t => {
    const { page, close } = await visit(browser, { javaScriptEnabled: false });
    t.after(close);
    await page.goto(authorizationUrl(server));
    assert.deepEqual(await page.getByRole('button').allTextContents(), ['Sign in', 'Cancel']);
  });
});
