import type { Reply } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { demoScript } from '../../platform/ui/assets.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import { demoCurl } from './demo.ts';

const SHOWN = [
  'code',
  'error',
  'error_description',
  'error_uri',
  'access_token',
  'token_type',
  'expires_in',
  'id_token',
  'scope',
  'state',
  'iss',
];

/** Shows the authorization response that the demo client received, and the command to paste next. */
export function demoCallbackPage(issuer: string, callback: string, params: Params): Reply {
  const code = harmless(params.get('code'));
  const token = harmless(params.get('access_token'));
  const shown = SHOWN.filter(name => params.get(name) !== undefined);
  return page({
    locale: 'en',
    title: 'Demo client · Gatehouse',
    script: demoScript,
    wide: true,
    body: html`
<h1>The demo client received</h1>
<dl id="received"${shown.length === 0 && HIDDEN}>
${shown.map(name => html`<div><dt><code>${name}</code></dt><dd class="value">${params.get(name)}</dd></div>\n`)}
</dl>
${shown.length === 0 && NOTHING}
${
  code !== undefined &&
  html`<h2>Next: exchange the code for tokens</h2>
${paste(demoCurl.codeWithPkce(issuer, callback, code))}
<p class="muted">A code works once, within five minutes.</p>`
}
<div id="next"${token === undefined && HIDDEN}>
<h2>Next: ask who the user is</h2>
${paste(demoCurl.userinfo(issuer, token ?? 'ACCESS_TOKEN'))}
</div>`,
  });
}

/** A line to paste contains only what looks like a code or token of this server: any site can link to this page. */
function harmless(value: string | undefined): string | undefined {
  return value !== undefined && /^[\w.-]+$/.test(value) ? value : undefined;
}

const HIDDEN = html` hidden`;
const NOTHING = html`<div id="nothing">
<p>Nothing yet. Open one of the authorization addresses that the server printed when it started.</p>
<noscript><p>Tokens of the implicit flow come in the fragment of the address, which this page reads with JavaScript. Turn it on to see them.</p></noscript>
</div>`;

/** One option a line: still one command to a shell, and readable on a narrow page. */
function paste(command: string): Html {
  return html`<div class="paste"><pre>${command.replaceAll(/ (?=-[dH] )/g, ' \\\n  ')}</pre></div>`;
}
