import { type Html, html } from './html.ts';
import type { Locale } from './locale.rules.ts';
import { keepText } from './text.ts';

/**
 * Buttons for a text that is shown once: to copy it, where there is script, and to save it as a file, which needs none. The file is in
 * the page itself: no address of the server repeats what somebody sent it.
 */
export function keepButtons(locale: Locale, content: string, fileName: string): Html {
  const text = keepText[locale];
  const address = `data:text/plain;charset=utf-8,${encodeURIComponent(content)}`;
  return html`<p class="keep"><button type="button" class="small" data-copy="${content}" data-copied="${text.copied}" hidden>${text.copy}</button>
<a class="button small" href="${address}" download="${fileName}">${text.download}</a></p>`;
}
