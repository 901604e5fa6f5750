import { hasSchemeOfItsOwn } from '../../oauth/authorize/redirect-uri.rules.ts';
import type { ConsoleContext } from '../../operators/console-frame/page.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { issuerOf } from '../applications/rules.ts';
import type { Values } from '../fields/form.console.ts';
import {
  type Configuration,
  configurationFor,
  exampleClient,
  type Library,
  libraries,
} from './connect-libraries.console.ts';
import { clientConnectText } from './console.text.ts';
import { codeBlock, isPublic, postLogoutUrisOf, redirectUrisOf } from './frame.console.ts';

/**
 * A library for a client with a secret is of no use to one without, and the other way round. One for the client's own grants comes first;
 * a client that signs nobody in is shown no other. So do those for mobile devices where the client comes back to a scheme of its own.
 */
export function fitting(client: Values): readonly Library[] {
  const grants = client.grant_types as readonly string[];
  const isNative = redirectUrisOf(client).some(hasSchemeOfItsOwn);
  const fits = libraries
    .filter(each => (each.isPublic === true) === isPublic(client))
    .toSorted((one, other) => Number(other.isNative === isNative) - Number(one.isNative === isNative));
  const own = fits.filter(({ grant }) => grant !== undefined && grants.includes(grant));
  if (own.length > 0 && !grants.includes('authorization_code')) return own;
  return [...own, ...fits.filter(({ grant }) => grant === undefined)];
}

/** A text that is no plain word could end the string that it stands in: it is not put into text that will be run. */
export function isPlain(text: string): boolean {
  return /^[\w.~-]+$/.test(text);
}

export async function configured(
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
    clientId: isPlain(id) ? id : exampleClient(library),
    redirectUris: redirectUrisOf(client).filter(uri => !uri.startsWith(`${baseUrl}/`)),
  });
}

/** What the configuration comes back to and the client has not registered, in the words of an operation. */
export function missingAddresses({ redirectUri, postLogoutUri }: Configuration, client: Values): Values {
  const [uris, after] = [redirectUrisOf(client), postLogoutUrisOf(client)];
  return {
    ...(redirectUri !== undefined && !uris.includes(redirectUri) && { redirect_uris: [...uris, redirectUri] }),
    ...(postLogoutUri !== undefined &&
      !after.includes(postLogoutUri) && { post_logout_redirect_uris: [...after, postLogoutUri] }),
  };
}

/** The configuration of a library, on Connect. `secret`: one that was made just now. It takes the place of the example's. */
export function instructions(context: ConsoleContext, client: Values, { parts }: Configuration, secret?: string): Html {
  const text = clientConnectText[context.locale];
  const placeholder = parts.map(part => /replace-this-secret[\w-]*/.exec(part.text)?.[0]).find(Boolean);
  const isFilled = secret !== undefined && isPlain(secret);
  const filled = (block: string) =>
    isFilled && placeholder !== undefined ? block.replaceAll(placeholder, () => secret) : block;
  return html`${!isPlain(String(client.client_id)) && html`<p class="alert">${text.odd}</p>`}
${parts.map(part => html`<p lang="en">${marked(part.about)}</p>\n${codeBlock(context, filled(part.text))}\n`)}
${placeholder !== undefined && !isFilled && html`<p>${text.secret(html`<code>${placeholder}</code>`)}</p>`}`;
}

/** The same in the answers that have a secret: of a new client, and a new one of a client. One is open at a time. */
export function folded(context: ConsoleContext, client: Values, listed: readonly Library[], secret?: string) {
  return Promise.all(
    listed.map(async library => {
      const found = await configured(context, client, library);
      const shown = found !== undefined && instructions(context, client, found, secret);
      return html`<details name="library"><summary>${library.label}</summary>${shown}</details>\n`;
    }),
  );
}

/** Markdown has more; the sentences before the blocks have only code. */
function marked(markdown: string): Html {
  return html`${markdown.split('`').map((piece, index) => (index % 2 === 0 ? piece : html`<code>${piece}</code>`))}`;
}
