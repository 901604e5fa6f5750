import { etagOf } from '../../operators/api/operation.ts';
import { answerForm } from '../../operators/console/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  type View,
} from '../../operators/console/page.ts';
import { addressOf, copyable, faultSummary } from '../../operators/console/parts.ts';
import type { Answer } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { issuerOf } from '../applications/rules.ts';
import type { Values } from '../fields/form.console.ts';
import { type Configuration, configurationFor, type Library, libraries } from './connect-libraries.console.ts';
import { clientConnectText } from './console.text.ts';
import { clientFrame, clientPath, codeBlock, isPublic, redirectUrisOf, withClient } from './frame.console.ts';
import { updateClient } from './operations.ts';

/** …/clients/{client_id}: the configuration of a library for this client, to copy. */
export const clientConnect: ConsolePage = {
  place: 'applications',
  show: context => withClient(context, client => view(context, client, context.query.get('library'), NO_FAULTS)),
  submit: (context, form) =>
    withClient(context, async client => {
      const page = form.get('library');
      const configuration = await configured(context, client, chosen(client, page));
      const uris = redirectUrisOf(client);
      if (configuration?.redirectUri === undefined) return view(context, client, page, NO_FAULTS);
      const body = { redirect_uris: [...new Set([...uris, configuration.redirectUri])] };
      const saved = await context.perform(updateClient, { body }, etagOf(client));
      const next = { path: addressOf(pathOf(context), { library: page }), notice: 'uriAdded' } as const;
      return answerForm(context, saved, next, faults => view(context, client, page, faults));
    }),
};

function pathOf({ params }: ConsoleContext): string {
  return clientPath(params.code ?? '', params.client_id ?? '');
}

/**
 * A library for a client with a secret is of no use to one without, and the other way round. One for the client's own grants comes first;
 * a client that signs nobody in is shown no other.
 */
function fitting(client: Values): Library[] {
  const grants = client.grant_types as readonly string[];
  const fits = libraries.filter(each => (each.isPublic === true) === isPublic(client));
  const own = fits.filter(({ grant }) => grant !== undefined && grants.includes(grant));
  if (own.length > 0 && !grants.includes('authorization_code')) return own;
  return [...own, ...fits.filter(({ grant }) => grant === undefined)];
}

function chosen(client: Values, page: string | undefined): Library | undefined {
  return fitting(client).find(each => each.page === page) ?? fitting(client)[0];
}

/** A client_id that is no plain word could end the string that it stands in: it is not put into text that will be run. */
function isPlain(clientId: string): boolean {
  return /^[\w.~-]+$/.test(clientId);
}

async function configured(
  { services, params }: ConsoleContext,
  client: Values,
  library: Library | undefined,
): Promise<Configuration | undefined> {
  if (!library) return undefined;
  const { baseUrl } = services.config;
  const id = String(client.client_id);
  return configurationFor(library, {
    baseUrl,
    issuer: issuerOf(baseUrl, params.code ?? ''),
    clientId: isPlain(id) ? id : library.clientId,
    redirectUris: redirectUrisOf(client).filter(uri => !uri.startsWith(`${baseUrl}/`)),
  });
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
${configuration === undefined || library === undefined ? html`<p>${text.missing}</p>` : instructions(context, client, library, configuration)}</section>
${addresses(context, client)}</div>`;
  return clientFrame(context, client, 'connect', body, faults.size === 0 ? 200 : 400);
}

function instructions(
  context: ConsoleContext,
  client: Values,
  library: Library,
  { parts, redirectUri }: Configuration,
): Html {
  const { locale, can } = context;
  const text = clientConnectText[locale];
  const placeholder = parts.map(part => /replace-this-secret[\w-]*/.exec(part.text)?.[0]).find(Boolean);
  const isMissing = redirectUri !== undefined && !redirectUrisOf(client).includes(redirectUri);
  return html`${
    isMissing &&
    html`<div class="alert"><p>${text.notRegistered(html`<code>${redirectUri}</code>`)}</p>${
      can(updateClient) &&
      html`<form method="post" action="${pathOf(context)}"><input type="hidden" name="library" value="${library.page}"><button type="submit" class="quiet">${text.register}</button></form>`
    }</div>`
  }
${!isPlain(String(client.client_id)) && html`<p class="alert">${text.odd}</p>`}
${parts.map(part => html`<p lang="en">${marked(part.about)}</p>\n${codeBlock(context, part.text)}\n`)}
${placeholder !== undefined && html`<p>${text.secret(html`<code>${placeholder}</code>`)}</p>`}<p class="muted">${text.tested}</p>`;
}

/** Markdown has more; the sentences before the blocks have only code. */
function marked(markdown: string): Html {
  return html`${markdown.split('`').map((piece, index) => (index % 2 === 0 ? piece : html`<code>${piece}</code>`))}`;
}

function addresses({ locale, services, params }: ConsoleContext, client: Values): Html {
  const text = clientConnectText[locale];
  const issuer = issuerOf(services.config.baseUrl, params.code ?? '');
  const uris = redirectUrisOf(client);
  const rows = [
    [text.issuer, copyable(locale, issuer)],
    ['client_id', copyable(locale, String(client.client_id))],
    [text.discovery, copyable(locale, `${issuer}/.well-known/openid-configuration`)],
    [
      text.redirectUris,
      uris.length === 0 ? text.none : html`${uris.map(uri => html`<div>${copyable(locale, uri)}</div>`)}`,
    ],
  ] as const;
  const items = rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`);
  return html`<section><h2>${text.addresses}</h2><dl>${items}</dl></section>`;
}
