import type { Headers, Reply } from '../message.ts';
import { type Asset, pageScript, stylesheet } from './assets.ts';
import { type Html, html } from './html.ts';
import type { Locale } from './locale.ts';

export interface Document {
  readonly locale: Locale;
  readonly title: string;
  readonly body: Html;
  /** Where a form of this page may end up, beside this server. */
  readonly formTarget?: string | undefined;
  /** A client may have opened this page in a popup window, and waits there for its answer. */
  readonly inPopup?: boolean;
  readonly script?: Asset;
  readonly wide?: boolean;
  readonly status?: number;
  readonly retryAfter?: number | undefined;
}

/** One quiet page: see docs/look.md. No inline style or script, and nothing from another server. */
export function page(document: Document): Reply {
  const { locale, title, body, script = pageScript } = document;
  const markup = html`<!doctype html>
<html lang="${locale === 'zh' ? 'zh-Hans' : locale}" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${stylesheet.path}">
<script src="${script.path}" defer></script>
</head>
<body>
<main class="${document.wide ? 'card wide' : 'card'}">
${body}
</main>
</body>
</html>
`;
  return { status: document.status ?? 200, headers: pageHeaders(document), body: markup.text };
}

function pageHeaders({ formTarget, inPopup, retryAfter }: Document): Headers {
  const headers: Headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': contentSecurityPolicy(formTarget),
    // Not no-referrer: browsers then send "Origin: null" with our own forms, which would look like another site's.
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': inPopup ? OPENER_KEPT : OPENER_CUT_OFF,
  };
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
  return headers;
}

/**
 * The HTML standard's Cross-Origin-Opener-Policy. Pages of another origin that open one of ours could navigate its window away and count its
 * frames; `same-origin` takes the window out of their reach. It does so for good: the client's callback in the same window has no
 * `window.opener` either, under `same-origin-allow-popups` just as well, since that is about windows we would open. Clients that sign in
 * from a popup window (oidc-client-ts, Swagger UI) need theirs, so the pages of a sign-in and sign-out do without.
 */
const OPENER_CUT_OFF = 'same-origin';
const OPENER_KEPT = 'unsafe-none';

/**
 * Browsers hold `form-action` against every redirect that follows a form post: the client's address, and wherever the
 * client sends the browser from there. So the scheme of the redirect address is allowed, not only its host.
 */
function contentSecurityPolicy(formTarget: string | undefined): string {
  const scheme = formTarget === undefined ? '' : ` ${formTarget.slice(0, formTarget.indexOf(':') + 1).toLowerCase()}`;
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self' data:",
    `form-action 'self'${scheme}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}
