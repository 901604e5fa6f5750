import type { ErrorCode, Failures } from '../failures.ts';
import { causesOf, errorCodes, meanings } from '../platform/http/error-meanings.rules.ts';
import type { Reply } from '../platform/http/message.ts';
import { html } from '../platform/ui/html.ts';
import { page } from '../platform/ui/layout.ts';

/** /docs/errors: what `error_uri` points to, made from the catalogue. */
export function errorIndexPage(): Reply {
  return reference(
    'Errors',
    html`
<h1>Errors</h1>
<p>Every error that this server answers with. The field <code>error_uri</code> of an answer leads to its page.</p>
<dl class="codes">
${errorCodes.map(code => html`<div><dt><a href="/docs/errors/${code}"><code>${code}</code></a></dt><dd>${meanings[code].meaning}</dd></div>\n`)}
</dl>`,
  );
}

export function errorPage(code: ErrorCode, failures: Failures): Reply {
  const { meaning, specification } = meanings[code];
  const causes = causesOf(code, failures).map(
    ({ cause, fix, description, status }) => html`
<section>
<h2>${cause}</h2>
<p>${fix}</p>
<p class="muted">HTTP ${status} · <code>${description}</code></p>
</section>`,
  );
  return reference(
    code,
    html`
<p><a href="/docs/errors">All errors</a></p>
<h1><code>${code}</code></h1>
<p>${meaning}</p>
<p class="muted">${specification}</p>
${causes}`,
  );
}

function reference(title: string, body: ReturnType<typeof html>): Reply {
  const reply = page({ locale: 'en', title: `${title} · Gatehouse`, body, wide: true });
  return { ...reply, headers: { ...reply.headers, 'cache-control': 'public, max-age=3600' } };
}

export function isErrorCode(text: string): text is ErrorCode {
  return (errorCodes as readonly string[]).includes(text);
}
