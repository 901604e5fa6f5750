import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { type Locale, locales } from '../../src/platform/ui/locale.rules.ts';

/** A text of what people read, in every language; where it has values, with some. */
export interface Said {
  /** File, table, keys. */
  readonly where: string;
  readonly by: Readonly<Record<Locale, string>>;
}

/** What the functions of the tables are called with. */
const VALUES = [
  ['Alpha', 'Beta', 'Gamma'],
  [1, 1, 1],
  [200, 200, 200],
];
const EVENTS = [
  [{ outcome: 'success' }],
  [{ outcome: 'success', details: { reason: 'logout' } }],
  [{ outcome: 'denied', details: { factor: 'totp', reason: 'deletion' } }],
  [{ outcome: 'failure', details: { factor: 'recovery', reason: 'kept' } }],
];

/** Every table of people's texts (docs/decisions/texts.md): the exports of text.ts and NAME.text.ts that have all languages. */
export async function peoplesTexts(): Promise<readonly Said[]> {
  const root = join(import.meta.dirname, '../..');
  const said: Said[] = [];
  for (const file of globSync('src/**/{text,*.text}.ts', { cwd: root }).sort()) {
    const module = (await import(join(root, file))) as Record<string, unknown>;
    for (const [name, table] of Object.entries(module)) {
      if (isTable(table)) said.push(...saidIn(`${file} ${name}`, table));
    }
  }
  return said;
}

function isTable(value: unknown): value is Record<Locale, unknown> {
  return typeof value === 'object' && value !== null && locales.every(locale => locale in value);
}

function saidIn(where: string, by: Record<Locale, unknown>): Said[] {
  const { en } = by;
  if (typeof en === 'string') return [{ where, by: by as Said['by'] }];
  if (typeof en === 'function') {
    const samples: readonly (readonly unknown[])[] = where.includes('eventText') ? EVENTS : VALUES;
    return samples.flatMap((values, at) =>
      saidIn(
        `${where} ${at}`,
        each(by, text => (text as Text)(...values)),
      ),
    );
  }
  assert(typeof en === 'object' && en !== null, where);
  // Markup is the text of its `text`.
  return Object.keys(en).flatMap(key =>
    saidIn(
      `${where} ${key}`,
      each(by, text => (text as Keyed)[key]),
    ),
  );
}

type Text = (...values: readonly unknown[]) => unknown;
type Keyed = Readonly<Record<string, unknown>>;

function each(by: Record<Locale, unknown>, change: (text: unknown) => unknown): Record<Locale, unknown> {
  return { en: change(by.en), zh: change(by.zh), de: change(by.de) };
}

/** The English and Chinese texts of the tables that stand on a page in German, but in the parts for developers, which are English. */
export async function foreignWordsIn(page: string): Promise<string[]> {
  const shown = plain(page.replace(/<(dd|code)\b[^>]*lang="en"[^>]*>[\s\S]*?<\/\1>/g, ''));
  foreign ??= foreignSentences();
  return (await foreign).filter(text => shown.includes(text));
}

/** Read once: a page is looked through in less time than the tables are found. */
let foreign: Promise<readonly string[]> | undefined;

async function foreignSentences(): Promise<readonly string[]> {
  const sentences = (await peoplesTexts()).filter(({ by }) => by.de !== by.en && /\p{L} \p{L}/u.test(by.en));
  const texts = sentences.flatMap(({ by }) => [by.en, by.zh]).map(plain);
  return [...new Set(texts)].filter(text => text !== '');
}

function plain(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
