import type { Reply } from '../http/message.ts';
import { formPostScript } from './assets.ts';
import { html } from './html.ts';
import { page } from './layout.ts';
import type { Locale } from './locale.rules.ts';
import { sharedText } from './text.ts';

/** Posts fields to another server (OAuth 2.0 Form Post Response Mode, SAML bindings section 3.5): submits itself, and has a button where script is off. */
export function formPostPage(
  locale: Locale,
  title: string,
  target: string,
  fields: readonly (readonly [name: string, value: string | undefined])[],
): Reply {
  const inputs = fields
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`);
  return page({
    locale,
    title,
    inPopup: true,
    formTarget: target,
    script: formPostScript,
    body: html`
<h1>${title}</h1>
<form method="post" action="${target}">
${inputs}
<button type="submit">${sharedText[locale].continue}</button>
</form>`,
  });
}
