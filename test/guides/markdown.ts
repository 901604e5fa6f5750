import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** What the reader of a guide does, in the order of the page. */
export type Step =
  | { readonly kind: 'save'; readonly file: string; readonly text: string }
  | { readonly kind: 'run'; readonly text: string; readonly terminal: 'same' | 'new' }
  | { readonly kind: 'expect'; readonly text: string; readonly isJson: boolean };

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

/** A block is what the paragraph above it says. Blocks that are no step are there to be read. */
export function stepsOf(text: string): Step[] {
  const steps: Step[] = [];
  for (const [, before = '', language = '', block = ''] of text.matchAll(/([\s\S]*?)^```(\w*)\n([\s\S]*?)^```$/gm)) {
    const lead = before.trim().split(/\n\n/).at(-1) ?? '';
    const file = /\b[Ss]ave (?:this|it) as\s+`([^`]+)`/.exec(lead)?.[1];
    if (file !== undefined) steps.push({ kind: 'save', file, text: block });
    else if (language === 'sh')
      steps.push({
        kind: 'run',
        text: block,
        terminal: /\b(second|third|new)\s+terminal\b/.test(lead) ? 'new' : 'same',
      });
    else if (/\b(prints|print|answers|answer)\b[^.]*:$/.test(lead))
      steps.push({ kind: 'expect', text: block, isJson: language === 'json' });
  }
  return steps;
}

/** `…` stands for what varies: a part of a line, or any lines where it is a line of its own. JSON may be laid out anew. */
export function patternOf(expected: string, isJson: boolean, isWhole: boolean): RegExp {
  const escaped = (isJson ? withoutSpace(expected) : expected.trim()).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const pattern = escaped.replace(/^…\n/gm, '(?:.*\\n)*?').replace(/\n…$/, '(?:\\n.*)*').replaceAll('…', '.*?');
  return new RegExp(isWhole ? `^${pattern}$` : pattern);
}

export const withoutSpace = (text: string) => text.replace(/\s+/g, '');
