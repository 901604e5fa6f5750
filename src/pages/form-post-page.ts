import type { Reply } from '../message.ts';
import type { ResponseFields } from '../protocol/response-mode.ts';
import { formPostScript } from './assets.ts';
import { html } from './html.ts';
import { page } from './layout.ts';
import type { Locale } from './locale.ts';
import { textFor } from './text.ts';

/** OAuth 2.0 Form Post Response Mode: submits itself, and has a button where script is off. */
export function formPostPage(locale: Locale, redirectUri: string, fields: ResponseFields): Reply {
  const text = textFor(locale);
  const inputs = fields
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`);
  return page({
    locale,
    title: text.returning,
    inPopup: true,
    formTarget: redirectUri,
    script: formPostScript,
    body: html`
<h1>${text.returning}</h1>
<form method="post" action="${redirectUri}">
${inputs}
<button type="submit">${text.continue}</button>
</form>`,
  });
}
