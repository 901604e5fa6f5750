import { etagOf } from '../../operators/api/operation.ts';
import { answerForm } from '../../operators/console-frame/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  type View,
} from '../../operators/console-frame/page.ts';
import { addressOf, copyable, faultSummary } from '../../operators/console-frame/parts.ts';
import type { Answer } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { issuerOf } from '../applications/rules.ts';
import type { Values } from '../fields/form.console.ts';
import type { Configuration, Library } from './connect-libraries.console.ts';
import { clientConnectText } from './console.text.ts';
import { clientFrame, clientPath, postLogoutUrisOf, redirectUrisOf, withClient } from './frame.console.ts';
import { configured, fitting, instructions, missingAddresses } from './instructions.console.ts';
import { updateClient } from './operations.ts';

/** …/clients/{client_id}: the configuration of a library for this client, to copy, and what the client lacks for it. */
export const clientConnect: ConsolePage = {
  place: 'applications',
  show: context => withClient(context, client => view(context, client, context.query.get('library'), NO_FAULTS)),
  submit: (context, form) =>
    withClient(context, async client => {
      const page = form.get('library');
      const configuration = await configured(context, client, chosen(client, page));
      const body = configuration === undefined ? {} : missingAddresses(configuration, client);
      if (Object.keys(body).length === 0) return view(context, client, page, NO_FAULTS);
      const saved = await context.perform(updateClient, { body }, etagOf(client));
      const next = { path: addressOf(pathOf(context), { library: page }), notice: 'uriAdded' } as const;
      return answerForm(context, saved, next, faults => view(context, client, page, faults));
    }),
};

function pathOf({ params }: ConsoleContext): string {
  return clientPath(params.code ?? '', params.client_id ?? '');
}

function chosen(client: Values, page: string | undefined): Library | undefined {
  return fitting(client).find(each => each.page === page) ?? fitting(client)[0];
}

async function view(
  context: ConsoleContext,
  client: Values,
  page: string | undefined,
  faults: Faults,
): Promise<View | Answer> {
  const { locale } = context;
  const text = clientConnectText[locale];
  const library = chosen(client, page);
  const configuration = await configured(context, client, library);
  const tabs = fitting(client).map(
    each =>
      html`<a href="${pathOf(context)}?library=${each.page}"${each === library && html` aria-current="page"`}>${each.label}</a>\n`,
  );
  const body = html`${faultSummary(locale, faults)}
<div class="columns"><section><div class="tabs" role="navigation" aria-label="${text.libraries}">
${tabs}</div>
${
  configuration === undefined || library === undefined
    ? html`<p>${text.missing}</p>`
    : html`${lacking(context, client, library, configuration)}${instructions(context, client, configuration)}<p class="muted">${text.tested}</p>`
}</section>
${addresses(context, client)}</div>`;
  return clientFrame(context, client, 'connect', body, faults.size === 0 ? 200 : 400);
}

/** Addresses that the configuration comes back to and the client has not registered, with the button that adds them. */
function lacking(
  context: ConsoleContext,
  client: Values,
  library: Library,
  configuration: Configuration,
): Html | false {
  const text = clientConnectText[context.locale];
  const missing = missingAddresses(configuration, client);
  const names = Object.keys(missing);
  if (names.length === 0) return false;
  const code = (uri: string | undefined) => html`<code>${uri}</code>`;
  return html`<div class="alert">${'redirect_uris' in missing && html`<p>${text.notRegistered(code(configuration.redirectUri))}</p>`}${
    'post_logout_redirect_uris' in missing && html`<p>${text.notAfterLogout(code(configuration.postLogoutUri))}</p>`
  }${
    context.can(updateClient) &&
    html`<form method="post" action="${pathOf(context)}"><input type="hidden" name="library" value="${library.page}"><button type="submit" class="quiet">${text.register(names)}</button></form>`
  }</div>`;
}

function addresses({ locale, services, params }: ConsoleContext, client: Values): Html {
  const text = clientConnectText[locale];
  const issuer = issuerOf(services.config.baseUrl, params.code ?? '');
  const listed = (uris: readonly string[]) =>
    uris.length === 0 ? text.none : html`${uris.map(uri => html`<div>${copyable(locale, uri)}</div>`)}`;
  const rows = [
    [text.issuer, copyable(locale, issuer)],
    ['client_id', copyable(locale, String(client.client_id))],
    [text.discovery, copyable(locale, `${issuer}/.well-known/openid-configuration`)],
    [text.redirectUris, listed(redirectUrisOf(client))],
    [text.postLogoutUris, listed(postLogoutUrisOf(client))],
  ] as const;
  const items = rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`);
  return html`<section><h2>${text.addresses}</h2><dl>${items}</dl></section>`;
}
