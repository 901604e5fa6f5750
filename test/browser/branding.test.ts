import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { logoHash } from '../../src/directory/branding/rules.ts';
import { contrast, correctedAccent, MIN_CONTRAST } from '../../src/platform/ui/accent.rules.ts';
import { BRANDING, PNG, SVG_WITH_SCRIPT } from '../build/branding.ts';
import { aClient, anApplication } from '../build/fixture.ts';
import { anOperatorClient } from '../build/operator.ts';
import { firstInSuite, suitePart } from '../build/suite-part.ts';
import { startTestServer } from '../build/test-server.ts';
import { authorizationUrl } from '../build/visitor.ts';
import { assertPresentable, axeFindings, contrastFindings, openInspection } from './axe.ts';
import { fillIn, visit } from './browser-fixture.ts';
import { openChromium } from './chromium.ts';

/** One is not legible on white, the other not in dark. */
const COLORS = { yellow: '#ffd400', navy: '#0a1f44' } as const;

const server = suitePart(() => {
  const clients = [aClient(), aClient({ client_id: 'asks', require_consent: true })];
  return startTestServer({
    applications: Object.entries(COLORS).map(([code, accent_color]) =>
      anApplication({ ...BRANDING, code, name: 'Lantern Books', accent_color, logo_uri: SVG_WITH_SCRIPT, clients }),
    ),
  });
});
const browser = suitePart(openChromium);
const owner = suitePart(() => anOperatorClient(server));
firstInSuite(async () => {
  await owner.ask('POST', '/operators', { username: 'alice', role: 'owner' });
});

async function signIn(page: Page): Promise<void> {
  await fillIn(page);
  await page.locator('[name=password]').press('Enter');
}

/** The colours of an element as the browser has computed them. */
async function colorsOf(page: Page, selector: string): Promise<{ readonly color: string; readonly ground: string }> {
  const style = await page.evaluate<{ color: string; backgroundColor: string }>(
    `(({ color, backgroundColor }) => ({ color, backgroundColor }))(getComputedStyle(${first(selector)}))`,
  );
  return { color: hex(style.color), ground: hex(style.backgroundColor) };
}

const first = (selector: string) => `document.querySelector(${JSON.stringify(selector)})`;

/** From `rgb(255, 212, 0)`. */
function hex(rgb: string): string {
  const channels = (rgb.match(/\d+/g) ?? []).slice(0, 3);
  return `#${channels.map(channel => Number(channel).toString(16).padStart(2, '0')).join('')}`;
}

/** The colours that the browser has computed, the logo, and the width. */
async function assertLegible(page: Page, color: string, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  const { accent, text } = correctedAccent(color)[colorScheme];
  const button = await colorsOf(page, 'button[type=submit]:not(.quiet)');
  assert.deepEqual(button, { color: text, ground: accent });
  assert(contrast(button.color, button.ground) >= MIN_CONTRAST);
  const card = await colorsOf(page, 'main.card');
  assert(contrast(button.ground, card.ground) >= MIN_CONTRAST);
  const link = await colorsOf(page, 'footer.links a');
  assert(contrast(link.color, card.ground) >= MIN_CONTRAST);
  // axe sees the colours of a quiet button as they are under the pointer.
  if ((await page.locator('button.quiet').count()) > 0) await page.locator('button.quiet').hover();
  assert.equal(await page.evaluate(`${first('img.logo')}.decode().then(() => true)`), true);
  const width = page.viewportSize()?.width;
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, 'scrolls sideways');
}

describe('the look of an application: WCAG AA as computed, and axe finds nothing', () => {
  const seen = suitePart(() => openInspection(browser));
  beforeEach(() => seen.forget());

  for (const width of [360, 1280]) {
    for (const [app, color] of Object.entries(COLORS)) {
      it(`login, ${app}, ${width} px`, async () => {
        const { page, complaints } = seen;
        await page.setViewportSize({ width, height: 800 });
        await page.goto(authorizationUrl(server, {}, app));
        await assertLegible(page, color, 'light');
        assert.deepEqual(await axeFindings(page), []);
        await assertLegible(page, color, 'dark');
        assert.deepEqual(await contrastFindings(page), []);
        assert.deepEqual(complaints, []);
      });
    }
  }

  for (const [colorScheme, app] of [
    ['light', 'yellow'],
    ['dark', 'navy'],
  ] as const) {
    it(`consent, choice of the account, logout, in the colour that is hard to read, ${colorScheme}`, async () => {
      const { page, complaints } = seen;
      const inspect = async () => {
        for (const width of [360, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          await assertLegible(page, COLORS[app], colorScheme);
          assert.deepEqual(await axeFindings(page), [], `${page.url()}, ${width} px`);
        }
      };
      await page.goto(authorizationUrl(server, { client_id: 'asks' }, app));
      await signIn(page);
      await page.locator('[value=allow]').waitFor();
      await inspect();
      await page.goto(authorizationUrl(server, { prompt: 'select_account' }, app));
      await inspect();
      await page.goto(`${server.at(app)}/logout`);
      await inspect();
      assert.deepEqual(complaints, []);
    });
  }
});

describe('what comes with a logo and a link', () => {
  it('attack: the script of an SVG runs neither in the page nor where its address is opened', async t => {
    const { page, close } = await visit(browser);
    t.after(close);
    await page.goto(authorizationUrl(server, {}, 'yellow'));
    await page.evaluate(`${first('img.logo')}.decode()`);
    assert.equal(await page.evaluate('document.documentElement.dataset.ran'), undefined);
    await page.goto(`${server.at('yellow')}/logo/${logoHash(SVG_WITH_SCRIPT)}`);
    assert.equal(await page.evaluate('document.documentElement.localName'), 'svg');
    assert.equal(await page.evaluate('document.documentElement.dataset.ran'), undefined);
    assert.equal(await page.evaluate('globalThis.origin'), 'null', 'the document has no origin');
  });

  it('a link opens a window of its own, which knows nothing of this one, and what was typed stays', async t => {
    const { page, close } = await visit(browser);
    t.after(close);
    let referer: string | undefined = 'not asked';
    await page.context().route('https://shop.example/**', route => {
      referer = route.request().headers().referer;
      return route.fulfill({ contentType: 'text/html', body: '<title>Help</title>' });
    });
    await page.goto(authorizationUrl(server, {}, 'yellow'));
    await fillIn(page);
    const opening = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Help' }).click();
    const opened = await opening;
    await opened.waitForLoadState();
    assert.equal(await opened.evaluate('globalThis.opener'), null);
    assert.equal(referer, undefined);
    assert.equal(await page.locator('[name=username]').inputValue(), 'alice');
  });
});

describe('the look of an application in the console', () => {
  const open = async (page: Page) => {
    await page.goto(`${server.base}/console/applications/yellow/look`);
    await signIn(page);
    await page.locator('main#content').waitFor();
  };

  it('axe finds nothing, light or dark', async t => {
    const seen = await openInspection(browser);
    t.after(seen.close);
    await open(seen.page);
    await assertPresentable(seen);
  });

  it('a file that is chosen becomes the logo; one that is too large is not sent', async t => {
    const { page, close } = await visit(browser);
    t.after(close);
    await open(page);
    // The script shows the chooser when it listens to it.
    await page.locator('#logo-file').waitFor();
    const file = (size: number) => ({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.alloc(size, 'x') });
    await page.getByLabel('Logo from a file').setInputFiles(file(40_000));
    const isValid = () => page.evaluate(`${first('#logo-file')}.checkValidity()`);
    assert.equal(await isValid(), false);
    assert.equal(await page.locator('#logo_uri').inputValue(), '');
    const buffer = Buffer.from(PNG.slice(PNG.indexOf(',')), 'base64');
    await page.getByLabel('Logo from a file').setInputFiles({ ...file(0), buffer });
    assert.equal(await isValid(), true);
    await page.waitForFunction("document.getElementById('logo_uri').value !== ''");
    await page.locator('#look').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').waitFor();
    assert.equal((await owner.ask('GET', '/applications/yellow')).json.logo_uri, PNG);
  });

  it('without script there is no chooser that would do nothing', async t => {
    const { page, close } = await visit(browser, { javaScriptEnabled: false });
    t.after(close);
    await open(page);
    assert.equal(await page.locator('#logo-file').isVisible(), false);
    assert.equal(await page.locator('#logo_uri').isVisible(), true);
  });
});
