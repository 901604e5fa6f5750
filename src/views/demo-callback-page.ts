import { demoCurl } from '../applications/demo.ts';
import type { Reply } from '../message.ts';
import type { Params } from '../protocol/params.ts';
import { demoScript } from './assets.ts';
import { html } from './html.ts';
import { page } from './layout.ts';

const SHOWN = ['code', 'error', 'error_description', 'error_uri', 'access_token', 'id_token', 'scope', 'state', 'iss'];

/** Where the demo client gets its answers: shows what came, and the line to paste next. */
export function demoCallbackPage(issuer: string, callback: string, params: Params): Reply {
  const code = params.get('code');
  const shown = SHOWN.filter(name => params.get(name) !== undefined);
  return page({
    locale: 'en',
    title: 'Demo client · Gatehouse',
    script: demoScript,
    wide: true,
    body: html`
<h1>The demo client received</h1>
<dl id="received">
${shown.map(name => html`<dt><code>${name}</code></dt><dd>${params.get(name)}</dd>\n`)}
</dl>
${shown.length === 0 && html`<p id="nothing">Nothing yet. Open the authorization address that the server printed when it started.</p>`}
${code !== undefined && html`<h2>Next: exchange the code for tokens</h2><pre tabindex="0">${demoCurl.codeWithPkce(issuer, callback, code)}</pre><p class="muted">A code works once, within five minutes.</p>`}
<div id="next" data-curl="${demoCurl.userinfo(issuer, 'ACCESS_TOKEN')}" hidden><h2>Next: ask who the user is</h2><pre tabindex="0"></pre></div>`,
  });
}
