import { refusalsPlace } from '../../audit/refusals/console.text.ts';
import { type ConsoleContext, type Performed, refusalOf, type View } from '../../operators/console-frame/page.ts';
import { copyable } from '../../operators/console-frame/parts.ts';
import { consoleText } from '../../operators/console-frame/text.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { applicationsPlace } from '../applications/console.text.ts';
import type { Values } from '../fields/form.console.ts';
import { clientFrameText, originText } from './console.text.ts';
import { getClient } from './operations.ts';
import { reviewLines } from './review-lines.console.ts';
import { type AuthMethod, type ClientOrigin, hasSecret } from './rules.ts';

const TABS = ['connect', 'settings', 'permissions', 'authentication', 'tokens', 'secrets', 'try'] as const;

/** `review` is the page behind the lines of a security review. */
export type ClientTab = (typeof TABS)[number] | 'review';

export function clientPath(app: string, clientId: string, tab: ClientTab = 'connect'): string {
  const path = `/console/applications/${encodeURIComponent(app)}/clients/${encodeURIComponent(clientId)}`;
  return tab === 'connect' ? path : `${path}/${tab}`;
}

/** The client of the address, and its page; or why it cannot be shown. */
export async function withClient<T>(
  { perform }: ConsoleContext,
  then: (client: Values) => T | Promise<T>,
): Promise<T | ReturnType<typeof refusalOf>> {
  const client: Performed<Values> = await perform<Values>(getClient);
  return client.kind === 'done' ? then(client.value) : refusalOf(client);
}

export function isPublic(client: Values): boolean {
  return client.token_endpoint_auth_method === 'none';
}

export function isWithSecret(client: Values): boolean {
  return hasSecret(client.token_endpoint_auth_method as AuthMethod);
}

export function clientFrame(context: ConsoleContext, client: Values, tab: ClientTab, body: Html, status = 200): View {
  const { locale, params } = context;
  const text = clientFrameText[locale];
  const [app, id] = [params.code ?? '', String(client.client_id)];
  const tabs = TABS.map(
    each =>
      html`<a href="${clientPath(app, id, each)}"${each === tab && html` aria-current="page"`}>${text.tabs[each]}</a>\n`,
  );
  const kind = isPublic(client) ? text.public : isWithSecret(client) ? text.confidential : text.keyed;
  const origin = client.origin as ClientOrigin | undefined;
  const refusals = `/console/refusals?${new URLSearchParams({ application: app, client: id })}`;
  return {
    title: String(client.client_name),
    crumbs: [
      [applicationsPlace[locale], '/console/applications'],
      [app, `/console/applications/${encodeURIComponent(app)}`],
    ],
    about: html`${copyable(locale, id)} · ${kind}${origin && html` · ${text.registeredBy} ${originText[locale][origin]}`}`,
    status,
    body: html`<div class="tabs" role="navigation" aria-label="${text.tabList}">
${tabs}<a href="${refusals}">${refusalsPlace[locale]}</a></div>
${tab !== 'review' && reviewLines(context, client, clientPath(app, id, 'review'))}${body}`,
  };
}

export function redirectUrisOf({ redirect_uris }: Values): readonly string[] {
  return redirect_uris as readonly string[];
}

export function postLogoutUrisOf({ post_logout_redirect_uris: uris = [] }: Values): readonly string[] {
  return uris as readonly string[];
}

/** Text to copy: a configuration, a token. */
export function codeBlock({ locale }: Pick<ConsoleContext, 'locale'>, text: string): Html {
  return html`<div class="block"><button type="button" class="copy" data-copy="${text}" hidden>${consoleText[locale].copy}</button><pre tabindex="0">${text}</pre></div>`;
}
