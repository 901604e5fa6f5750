import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';

/** People as lists show them: a face and a name. */
export interface Person {
  readonly username: string;
  /** In full, where it is known. */
  readonly name?: string | undefined;
  /** The page about the person, where there is one for this reader. */
  readonly path?: string | undefined;
}

/**
 * A face is the initials on one of a few colours, always the same for the same name. A picture of a user (`picture`) is an address of
 * another server, which would learn which operator looks at whom and when: it is never loaded.
 */
const FACES = 6;

export function face(name: string): Html {
  return html`<span class="face face-${faceOf(name)}" aria-hidden="true">${initialsOf(name)}</span>`;
}

/** The full name with the user name below it, or the user name alone. */
export function person({ username, name, path }: Person): Html {
  const shown = html`<strong>${name ?? username}</strong>`;
  const named = path === undefined ? shown : html`<a href="${path}">${shown}</a>`;
  const below = name !== undefined && name !== username;
  return html`<span class="who">${face(name ?? username)}<span>${named}${below && html`<span class="sub">${username}</span>`}</span></span>`;
}

/** In a line of text, without the user name. */
export function personInline({ username, name, path }: Person): Html {
  const title = name !== undefined && name !== username && html` title="${username}"`;
  const shown = html`${face(name ?? username)}${name ?? username}`;
  return path === undefined
    ? html`<span class="who inline"${title}>${shown}</span>`
    : html`<a class="who inline" href="${path}"${title}>${shown}</a>`;
}

/** The first letters of the first and the last word; of a name in Chinese, Japanese or Korean, which is one word, its first character. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s._@-]+/).filter(word => /[\p{L}\p{N}]/u.test(word));
  const first = letterOf(words[0] ?? name);
  const isNarrow = !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(first);
  const last = isNarrow && !name.includes('@') && words.length > 1 ? letterOf(words.at(-1) ?? '') : '';
  return `${first}${last}`.toUpperCase();
}

function letterOf(word: string): string {
  return [...word].find(character => /[\p{L}\p{N}]/u.test(character)) ?? '?';
}

function faceOf(name: string): number {
  return [...name].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521, 7) % FACES;
}

/** All of them are named: an operator has a handful, and has to know which. */
export function reachOf(applications: readonly string[] | undefined, locale: OperatorLocale): string | undefined {
  return applications?.join(locale === 'zh' ? '、' : ', ');
}
