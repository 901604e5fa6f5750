import { type Html, html } from '../../platform/ui/html.ts';
import { type Locale, languageTags } from '../../platform/ui/locale.rules.ts';

export interface Content {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A paragraph, or a link of this server with the label that the HTML part gives it, or a code. */
export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'link'; readonly href: string; readonly label: string }
  | { readonly kind: 'code'; readonly code: string };

export const paragraph = (text: string): Block => ({ kind: 'paragraph', text });

/** The text part and the HTML part say the same. A link has a line of its own in the text part, so that programs find it. */
export function contentOf(locale: Locale, subject: string, blocks: readonly Block[]): Content {
  const text = `${blocks.map(inText).join('\n\n')}\n`;
  return { subject: oneLine(subject), text, html: inHtml(locale, subject, blocks) };
}

/** No line break in a header (RFC 5322 section 2.2), whatever a name holds. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

function inText(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return wrapped(oneLine(block.text));
    case 'link':
      return block.href;
    case 'code':
      return block.code;
  }
}

/** RFC 5322 section 2.1.1. With short lines a text of ASCII is sent as it is, and its links can be read in the file. */
const MAX_LINE_LENGTH = 76;

function wrapped(text: string): string {
  return text.replace(new RegExp(`(.{1,${MAX_LINE_LENGTH}})(?: +|$)`, 'gu'), '$1\n').trimEnd();
}

function inHtml(locale: Locale, subject: string, blocks: readonly Block[]): string {
  return html`<!doctype html>
<html lang="${languageTags[locale]}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${subject}</title></head>
<body style="margin:0;padding:24px;font-family:system-ui,sans-serif;font-size:16px;line-height:1.5">
<div style="max-width:36em;margin:0 auto">
${blocks.map(asHtml)}</div>
</body>
</html>
`.text;
}

function asHtml(block: Block): Html {
  switch (block.kind) {
    case 'paragraph':
      return html`<p>${oneLine(block.text)}</p>\n`;
    case 'link':
      return html`<p><a href="${block.href}">${block.label}</a></p>\n`;
    case 'code':
      return html`<p style="font-family:monospace;font-size:24px;letter-spacing:2px">${block.code}</p>\n`;
  }
}
