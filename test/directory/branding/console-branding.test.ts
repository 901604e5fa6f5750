import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { logoHash, MAX_LOGO_BYTES } from '../../../src/directory/branding/rules.ts';
import { correctedAccent } from '../../../src/platform/ui/accent.rules.ts';
import { BRANDING, PNG, pngOf, SVG_WITH_SCRIPT } from '../../build/branding.ts';
import { anApplication } from '../../build/fixture.ts';
import { suiteConsole, titleOf } from '../../build/in-console.ts';
import { atLogin, logIn } from '../../build/people.ts';
import { formWith } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const { logo_uri: _, ...TEXTS } = BRANDING;
/** What a browser sends of a form in which nothing was typed. */
const UNTOUCHED = TEXTS;

describe('the look of an application in the console (issue 13, point 2)', () => {
  const fixture = suiteConsole({ applications: [anApplication(BRANDING)] });
  const stored = async () => (await fixture.owner.ask('GET', '/applications/shop')).json;

  it('shows the logo as an image and the colour as the pages show it, and the image is not part of the page', async () => {
    const { seen } = await fixture.inConsole('/console/applications/shop/look');
    assert.equal(titleOf(seen), 'Shop');
    const src = `/api/v1/authorize/shop/oauth2/logo/${logoHash(PNG)}`;
    assert(seen.text.includes(`<img class="logo" src="${src}" alt="The current logo">`), seen.text);
    assert(!seen.text.includes(PNG.slice(22)));
    const { light, dark } = correctedAccent(BRANDING.accent_color);
    assert(seen.text.includes(`Shown as ${light.accent} in light and ${dark.accent} in dark.`));
    for (const value of [light.accent, light.text, dark.accent, dark.text])
      assert(seen.text.includes(`fill="${value}"`));
    for (const value of Object.values(TEXTS)) assert(seen.text.includes(`value="${value}"`), value);
    assert.doesNotMatch(seen.text, /\sstyle=/);
  });

  it('saves what was typed; the logo stays unless another is given or it is removed', async () => {
    const { visitor, seen } = await fixture.inConsole('/console/applications/shop/look');
    const renamed = await visitor.send(formWith(seen, 'accent_color'), { ...UNTOUCHED, accent_color: '#00AA55' });
    assert.equal(renamed.status, 200, renamed.text);
    assert.deepEqual(
      [(await stored()).accent_color, (await stored()).logo_uri, (await stored()).help_uri],
      ['#00aa55', PNG, BRANDING.help_uri],
    );
    // As `base64 logo.svg` prints it, in lines.
    const wrapped = SVG_WITH_SCRIPT.replace(/.{76}/g, '$&\n');
    const replaced = await visitor.send(formWith(renamed, 'logo_uri'), { ...UNTOUCHED, logo_uri: wrapped });
    assert.equal(replaced.status, 200);
    assert.equal((await stored()).logo_uri, SVG_WITH_SCRIPT);
    const cleared = await withStatus(200, visitor.send(formWith(replaced, 'remove_logo'), { remove_logo: 'true' }));
    const left = await stored();
    for (const name of Object.keys(BRANDING)) assert(!(name in left), name);
    assert.doesNotMatch(cleared.text, /remove_logo|Shown as/);
  });

  it('tells every fault beside its field, and what was typed stays', async () => {
    const { visitor, seen } = await fixture.inConsole('/console/applications/shop/look');
    const typed = {
      logo_uri: 'https://cdn.example/logo.png',
      accent_color: 'red',
      help_uri: 'javascript:alert(1)',
    };
    const faulty = await withStatus(400, visitor.send(formWith(seen, 'accent_color'), typed));
    for (const name of ['logo_uri', 'accent_color', 'help_uri']) {
      assert(faulty.text.includes(`id="${name}-fault"`), name);
    }
    assert(faulty.text.includes('>https://cdn.example/logo.png</textarea>'));
    for (const value of ['red', 'javascript:alert(1)']) assert(faulty.text.includes(`value="${value}"`));
    await withStatus(200, visitor.send(formWith(faulty, 'accent_color'), { ...typed, ...BRANDING }));
    assert.equal((await stored()).logo_uri, PNG);
  });

  it('takes a logo of 32 KiB, which is within the limit of a form', async () => {
    const { visitor, seen } = await fixture.inConsole('/console/applications/shop/look');
    await withStatus(200, visitor.send(formWith(seen, 'logo_uri'), { logo_uri: pngOf(MAX_LOGO_BYTES) }));
    assert.equal((await stored()).logo_uri, pngOf(MAX_LOGO_BYTES));
  });

  it('a form whose session has expired waits without a logo that is too large for it, and says so', async () => {
    await fixture.owner.ask('PATCH', '/applications/shop', { logo_uri: PNG });
    const { visitor, seen } = await fixture.inConsole('/console/applications/shop/look');
    fixture.clock.advance(3600);
    const typed = { accent_color: '#123456', logo_uri: pngOf(MAX_LOGO_BYTES) };
    const login = await visitor.send(formWith(seen, 'logo_uri'), typed);
    assert(atLogin(login), login.text);
    const waiting = await logIn(visitor, login);
    assert.match(waiting.text, /Too large to keep while you signed in[^<]*<code>logo_uri<\/code>/);
    assert.equal(titleOf(await visitor.send(formWith(waiting, 'accent_color'))), 'Shop');
    assert.deepEqual([(await stored()).accent_color, (await stored()).logo_uri], ['#123456', PNG]);
  });

  it('a small logo waits with its form', async () => {
    const { visitor, seen } = await fixture.inConsole('/console/applications/shop/look');
    fixture.clock.advance(3600);
    const login = await visitor.send(formWith(seen, 'logo_uri'), { logo_uri: SVG_WITH_SCRIPT });
    const waiting = await logIn(visitor, login);
    assert.doesNotMatch(waiting.text, /Too large/);
    await visitor.send(formWith(waiting, 'logo_uri'));
    assert.equal((await stored()).logo_uri, SVG_WITH_SCRIPT);
  });

  it('speaks Chinese', async () => {
    const { visitor } = await fixture.inConsole('/console/applications/shop/look');
    const { text } = await visitor.go(fixture.at('/console/applications/shop/look'), {
      headers: { 'accept-language': 'zh' },
    });
    for (const word of ['登录页面的外观', '当前标志', '强调色', '隐私政策', '服务条款'])
      assert(text.includes(word), word);
  });
});
