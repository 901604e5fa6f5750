import type { Reply } from '../../platform/http/message.ts';
import { formPostScript } from '../../platform/ui/assets.ts';
import { html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { textFor } from '../../platform/ui/text.ts';
import type { ResponseFields } from './response-mode.rules.ts';

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
