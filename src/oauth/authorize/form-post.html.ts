import type { Reply } from '../../platform/http/message.ts';
import { formPostScript } from '../../platform/ui/assets.ts';
import { html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import type { ResponseFields } from './response-mode.rules.ts';
import { formPostText } from './text.ts';

/** OAuth 2.0 Form Post Response Mode: submits itself, and has a button where script is off. */
export function formPostPage(locale: Locale, redirectUri: string, fields: ResponseFields): Reply {
  const { returning } = formPostText[locale];
  const inputs = fields
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`);
  return page({
    locale,
    title: returning,
    inPopup: true,
    formTarget: redirectUri,
    script: formPostScript,
    body: html`
<h1>${returning}</h1>
<form method="post" action="${redirectUri}">
${inputs}
<button type="submit">${sharedText[locale].continue}</button>
</form>`,
  });
}
