import type { Headers, Reply } from '../http/message.ts';
import { accentStylesheet } from './accent-stylesheet.ts';
import { type Asset, pageScript, stylesheet as pageStylesheet } from './assets.ts';
import { type Brand, brandFooter, brandHeader } from './brand.ts';
import { type Html, html } from './html.ts';
import { type Locale, languageTags } from './locale.rules.ts';

export interface Document {
  readonly locale: Locale;
  readonly title: string;
  readonly body: Html;
  /** The application that the page belongs to. */
  readonly brand?: Brand | undefined;
  /** Addresses outside this server to which a form of this page may redirect. */
  readonly formTarget?: string | readonly string[] | undefined;
  /** A client may have opened this page in a popup window, and waits for its response there. */
  readonly inPopup?: boolean;
  readonly script?: Asset;
  /** Beside the other one. */
  readonly secondScript?: Asset | undefined;
  /** Beside them, as modules: comforts that no page needs. */
  readonly modules?: readonly Asset[];
  readonly stylesheet?: Asset;
  /** The body around the content; undefined: one centred card. */
  readonly frame?: ((body: Html) => Html) | undefined;
  readonly wide?: boolean;
  /** The script of this page fetches from this server. */
  readonly fetches?: boolean;
  readonly status?: number;
  readonly retryAfter?: number | undefined;
  /** Addresses that the page shows in frames. */
  readonly framed?: readonly string[];
  /** The browser leaves the page by itself. */
  readonly goesOn?: { readonly to: string; readonly afterSeconds: number };
}

/** The frame of every page (docs/look.md). It has no inline style or script and loads nothing from another server. */
export function page(document: Document): Reply {
  const {
    locale,
    title,
    body,
    brand,
    script = pageScript,
    secondScript,
    modules = [],
    stylesheet = pageStylesheet,
    frame = card(document),
  } = document;
  const markup = html`<!doctype html>
<html lang="${languageTags[locale]}" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${stylesheet.path}">${
    brand?.accent !== undefined && html`\n<link rel="stylesheet" href="${accentStylesheet(brand.accent).path}">`
  }
<script src="${script.path}" defer></script>${secondScript && html`\n<script src="${secondScript.path}" defer></script>`}${modules.map(each => html`\n<script type="module" src="${each.path}"></script>`)}
</head>
${frame(body)}
</html>
`;
  return { status: document.status ?? 200, headers: pageHeaders(document), body: markup.text };
}

function card({ wide, brand, locale }: Document): (body: Html) => Html {
  return body => html`<body>
<main class="${wide ? 'card wide' : 'card'}">
${brand && brandHeader(brand)}
${body}
${brand && brandFooter(brand, locale)}
</main>
</body>`;
}

function pageHeaders({ formTarget, inPopup, retryAfter, fetches, framed = [], goesOn }: Document): Headers {
  const headers: Headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': [
      contentSecurityPolicy(formTarget),
      ...(fetches ? ["connect-src 'self'"] : []),
      ...(framed.length > 0 ? [`frame-src ${[...new Set(framed.map(each => new URL(each).origin))].join(' ')}`] : []),
    ].join('; '),
    // Not no-referrer: browsers then send "Origin: null" with the server's own forms, like forms of another site.
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': inPopup ? OPENER_KEPT : OPENER_CUT_OFF,
  };
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
  // In HTML it would be an instruction that no policy limits; the header stands where the address was checked.
  if (goesOn) headers.refresh = `${goesOn.afterSeconds}; url=${goesOn.to}`;
  return headers;
}

/**
 * Cross-Origin-Opener-Policy (HTML standard). A page of another origin that opens a page of this server could navigate its window
 * and count its frames; `same-origin` prevents that. It also removes `window.opener` for the client's callback in the same window, and
 * so does `same-origin-allow-popups`, which only concerns windows that this server's pages would open. Clients that sign in from a
 * popup window (oidc-client-ts, Swagger UI) need `window.opener`, so the pages of sign-in and sign-out send `unsafe-none`.
 */
const OPENER_CUT_OFF = 'same-origin';
const OPENER_KEPT = 'unsafe-none';

/**
 * Browsers apply `form-action` to every redirect after a form post: to the client's address, and to the addresses to which the client
 * redirects from there. So the scheme of the redirect address is allowed, not only its host.
 */
function contentSecurityPolicy(formTarget: Document['formTarget'] = []): string {
  const targets = typeof formTarget === 'string' ? [formTarget] : formTarget;
  const schemes = new Set(targets.map(target => ` ${target.slice(0, target.indexOf(':') + 1).toLowerCase()}`));
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self' data:",
    `form-action 'self'${[...schemes].join('')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}
