import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CARD, contrast, correctedAccent, MIN_CONTRAST } from '../../../src/platform/ui/accent.rules.ts';
import { accentStylesheet, findAccentStylesheet } from '../../../src/platform/ui/accent-stylesheet.ts';
import { stylesheet } from '../../../src/platform/ui/assets.ts';
import { fc } from '../../build/random.ts';

const hex = (value: number) => `#${value.toString(16).padStart(6, '0')}`;
const color = fc.integer({ min: 0, max: 0xffffff }).map(hex);
const channels = (text: string) => [1, 3, 5].map(from => Number.parseInt(text.slice(from, from + 2), 16));

/** As `color-mix(in srgb, …)` of the stylesheet. */
const mixed = (accent: string, card: string, share: number) =>
  hex(
    channels(accent)
      .map((channel, place) => Math.round(channel * share + (channels(card)[place] ?? 0) * (1 - share)))
      .reduce((sum, channel) => sum * 256 + channel, 0),
  );

describe('the accent of an application (WCAG 2.2 AA, success criterion 1.4.3)', () => {
  it('contrast is that of WCAG: 21 between black and white, 1 of a colour with itself', () => {
    assert.equal(contrast('#000000', '#ffffff'), 21);
    assert.equal(contrast('#1f5fbf', '#1f5fbf'), 1);
    // Known from the Techniques G18: #767676 is the lightest grey that is legible on white.
    assert(contrast('#767676', '#ffffff') >= MIN_CONTRAST && contrast('#777777', '#ffffff') < MIN_CONTRAST);
  });

  it('for every colour: it is legible on the card, text on it is, and it is on a quiet button under the pointer', () => {
    fc.assert(
      fc.property(color, chosen => {
        for (const scheme of ['light', 'dark'] as const) {
          const { accent, text } = correctedAccent(chosen)[scheme];
          const pairs = [
            [accent, CARD[scheme]],
            [text, accent],
            [accent, mixed(accent, CARD[scheme], 0.1)],
          ] as const;
          for (const [one, other] of pairs) {
            assert(contrast(one, other) >= MIN_CONTRAST, `${scheme}: ${one} on ${other}, chosen ${chosen}`);
          }
        }
      }),
      { numRuns: 5000, examples: [['#000000'], ['#ffffff'], ['#ffff00'], ['#0000ff'], ['#00ff00'], ['#1c1f24']] },
    );
  });

  it('for every colour: it keeps its hue, and one that is legible already is shown as it is', () => {
    fc.assert(
      fc.property(color, chosen => {
        const accent = correctedAccent(chosen);
        for (const scheme of ['light', 'dark'] as const) {
          const before = channels(chosen);
          const after = channels(accent[scheme].accent);
          // Another hue would change the order of the channels, or the place of the middle one between the others.
          for (const [one, two] of [
            [0, 1],
            [1, 2],
            [0, 2],
          ] as const) {
            const [a = 0, b = 0, c = 0, d = 0] = [before[one], before[two], after[one], after[two]];
            assert(Math.sign(a - b) * Math.sign(c - d) >= 0, `${chosen} became ${accent[scheme].accent}`);
          }
          const again = correctedAccent(accent[scheme].accent);
          assert.equal(again[scheme].accent, accent[scheme].accent);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('is corrected for the cards that the stylesheet has', () => {
    const css = stylesheet.body.toString();
    const cards = [...css.matchAll(/--card: (#[0-9a-f]{6})/g)].map(([, card]) => card);
    assert.deepEqual(cards, [CARD.light, CARD.dark]);
    assert.match(css, /button\.quiet:hover,[^}]*color-mix\(in srgb, var\(--accent\) 10%, var\(--card\)\)/);
  });
});

describe('the stylesheet of an accent', () => {
  it('sets the two tokens for light and dark, and nothing else', () => {
    const { light, dark } = correctedAccent('#ffd400');
    const css = accentStylesheet('#ffd400').body.toString();
    assert.equal(
      css,
      `:root{--accent:${light.accent};--accent-text:${light.text}}@media (prefers-color-scheme:dark){:root{--accent:${dark.accent};--accent-text:${dark.text}}}\n`,
    );
  });

  it('is found by its own address alone: attack: CSS through the address', () => {
    const { path } = accentStylesheet('#ffd400');
    assert.equal(findAccentStylesheet(path)?.path, path);
    for (const forged of [
      '/assets/accent-ffd400.css',
      path.replace('ffd400', 'FFD400'),
      path.replace('ffd400', 'ffd401'),
      path.replace('ffd400', '0}*{x:y'),
      path.replace('ffd400', 'ffd40'),
      path.replace('.css', '.js'),
      `${path}.css`,
    ]) {
      assert.equal(findAccentStylesheet(forged), undefined, forged);
    }
  });
});
