import { type Html, html } from '../../platform/ui/html.ts';
import type { ConsoleContext } from './page.ts';
import { noticeText } from './text.ts';

export type NoticeName = keyof (typeof noticeText)['en'];

/** Not in the answer to a form, whose address may still name what a form before it has done. */
export function doneNotice({ locale, query, request }: ConsoleContext): Html | false {
  const name = query.get('done') ?? '';
  const text = noticeText[locale];
  if (request.method === 'POST' || !Object.hasOwn(text, name)) return false;
  return html`<p class="notice" role="status">${text[name as NoticeName]}</p>\n`;
}

export function withNotice(path: string, notice: NoticeName): string {
  return `${path}${path.includes('?') ? '&' : '?'}done=${notice}`;
}
