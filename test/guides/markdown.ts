import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { blocksOf, readPage } from '../clients/pages/page.ts';

/** What the reader of a guide does, in the order of the page. */
export type Step =
  | { readonly kind: 'save'; readonly file: string; readonly text: string; readonly terminal: WhichTerminal }
  | { readonly kind: 'run'; readonly text: string; readonly terminal: WhichTerminal }
  | { readonly kind: 'expect'; readonly text: string; readonly isJson: boolean }
  | { readonly kind: 'stop' };

export type WhichTerminal = 'same' | 'new';

export interface Section {
  readonly heading: string;
  readonly steps: readonly Step[];
}

const FOLDER = new URL('../../docs/guides/', import.meta.url);

/** The sections of docs/guides/NAME.md, in order; what stands above the first heading of level 2 has the title as its heading. */
export function readGuide(name: string): Section[] {
  const text = readFileSync(new URL(`${name}.md`, FOLDER), 'utf8');
  assert.doesNotMatch(text, /^[ \t]+```/m, `${name}.md: no block of a guide is indented`);
  const headings = [...text.matchAll(/(?<=^|\n)#{1,3} (.+)\n|(?<=^|\n)```[\s\S]*?\n```\n/g)].filter(
    ([, heading]) => heading,
  );
  const sections = headings.map((match, index) => ({
    heading: match[1] ?? '',
    steps: stepsOf(text.slice(match.index + match[0].length, headings[index + 1]?.index)),
  }));
  assert.equal(
    new Set(sections.map(({ heading }) => heading)).size,
    sections.length,
    `${name}.md: headings are unique`,
  );
  return sections;
}

const BLOCK = /^```(\w*)\n([\s\S]*?)^```$/m;
const SAVE = /\b[Ss]ave (?:this|it) as\s+`([^`]+)`/;
const SAVE_FROM_CLIENT_PAGE =
  /\b[Ss]ave the block `(\w+)` of\s+\[[^\]]*\]\(\.\.\/clients\/([\w-]+)\.md\)\s+as\s+`([^`]+)`/g;
const NEW_TERMINAL = /\b(?:second|third|new)\s+terminal\b/;
const STOP = /\bCtrl-C\b/;
const EXPECT = /\b(?:prints?|answers?)\b[^.]*:$/;

/** A block is what the paragraph above it says. Blocks that are no step are there to be read. */
export function stepsOf(text: string): Step[] {
  const steps: Step[] = [];
  // Prose, the language and the text of a block, prose, and so on.
  const parts = text.split(BLOCK);
  for (let at = 0; at < parts.length; at += 3) {
    const [prose = '', language, block = ''] = parts.slice(at);
    steps.push(...stepsOfProse(prose));
    if (language !== undefined) steps.push(...stepOfBlock(language, block, lastParagraph(prose)));
  }
  return steps;
}

function stepOfBlock(language: string, text: string, lead: string): Step[] {
  const [, file] = SAVE.exec(lead) ?? [];
  const terminal = NEW_TERMINAL.test(lead) ? 'new' : 'same';
  if (file !== undefined) return [{ kind: 'save', file, text, terminal }];
  if (language === 'sh') return [{ kind: 'run', text, terminal }];
  return EXPECT.test(lead) ? [{ kind: 'expect', text, isJson: language === 'json' }] : [];
}

function stepsOfProse(prose: string): Step[] {
  const files = [...prose.matchAll(SAVE_FROM_CLIENT_PAGE)].map(([, language = '', page = '', file = '']) => {
    const found = blocksOf(readPage(page)).filter(block => block.language === language);
    assert.equal(found.length, 1, `clients/${page}.md has one block in ${language}`);
    return { kind: 'save' as const, file, text: found[0]?.text ?? '', terminal: 'same' as const };
  });
  return STOP.test(prose) ? [{ kind: 'stop' }, ...files] : files;
}

const lastParagraph = (prose: string) => prose.trim().split(/\n\n/).at(-1) ?? '';

/** `…` stands for what varies: a part of a line, or any lines where it is a line of its own. JSON may be laid out anew. */
export function patternOf(expected: string, isJson: boolean, isWhole: boolean): RegExp {
  const escaped = (isJson ? withoutSpace(expected) : expected.trim()).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const pattern = escaped.replace(/^…\n/gm, '(?:.*\\n)*?').replace(/\n…$/, '(?:\\n.*)*').replaceAll('…', '.*?');
  return new RegExp(isWhole ? `^${pattern}$` : pattern);
}

export const withoutSpace = (text: string) => text.replace(/\s+/g, '');
