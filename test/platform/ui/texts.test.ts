import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { peoplesTexts } from '../../build/text-tables.ts';

/** What is the same in German as in English. */
const SAME = ['Passkey', 'Passkeys', 'Website', 'Browser: '];
/** Words of English that no German sentence has. */
const ENGLISH = /\b(the|your|you|and|with|sign|this|that|of|password|account|code was)\b/i;
const HAN = /\p{Script=Han}/u;
const bare = (text: string) => text.replace(/Alpha|Beta|Gamma|\[object Object\]|\d+/g, '');

/** Tables of texts, and declarations: what these declare has its title with it. */
const HAVE_TEXTS = /\b(text|text\.rules|failures|events|fields|capability)\.ts$/;

/** That every language has every text, the compiler checks (src/platform/ui/texts.ts). */
describe('texts (docs/decisions/texts.md)', () => {
  it('stand in tables or with what is declared: a page holds none', () => {
    const files = globSync('src/**/*.ts').filter(file => !HAVE_TEXTS.test(file));
    assert.deepEqual(
      files.filter(file => HAN.test(readFileSync(file, 'utf8').replace(/\/\/.*$/gm, ''))),
      [],
    );
  });
});

describe('the texts that people read (docs/decisions/texts.md)', () => {
  it('are found: pages, mails and errors', async () => {
    const files = new Set((await peoplesTexts()).map(({ where }) => where.split(' ')[0]));
    for (const file of ['people/sign-in/text.ts', 'people/email/mails.text.ts', 'platform/ui/problem.text.ts']) {
      assert(files.has(`src/${file}`), file);
    }
    assert(files.size >= 20, String(files.size));
  });

  it('are translated: German is not English, and Chinese is written in Chinese', async () => {
    const texts = (await peoplesTexts()).filter(({ by }) => /\p{L}/u.test(bare(by.en)));
    assert.deepEqual(
      texts.filter(({ by }) => by.de === by.en && !SAME.includes(bare(by.en))).map(({ where }) => where),
      [],
    );
    const unwritten = texts.filter(({ by }) => !HAN.test(by.zh) && /\p{L}/u.test(bare(by.zh)));
    assert.deepEqual(
      unwritten.map(({ where, by }) => `${where}: ${by.zh}`),
      [],
    );
  });

  it('mix no languages: German without English or Chinese words, English without Chinese ones', async () => {
    const texts = await peoplesTexts();
    assert.deepEqual(
      texts.filter(({ by }) => ENGLISH.test(bare(by.de)) || HAN.test(by.de) || HAN.test(by.en)).map(({ by }) => by.de),
      [],
    );
  });

  it('address Germans politely, and end as the English text ends', async () => {
    const texts = await peoplesTexts();
    assert.deepEqual(
      texts.filter(({ by }) => /\b(du|dein|deine[mnrs]?|dich|dir)\b/i.test(by.de)).map(({ by }) => by.de),
      [],
    );
    const end = (text: string) => /[.?:]$/.exec(text)?.[0];
    assert.deepEqual(
      texts.filter(({ by }) => end(by.en) !== end(by.de)).map(({ where, by }) => `${where}: ${by.en} / ${by.de}`),
      [],
    );
  });
});
