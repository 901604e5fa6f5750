import { hostOf } from '../../directory/client-id-metadata/rules.ts';
import { type Client, isSelfRegistered } from '../../directory/clients/rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import type { Services } from '../../services.ts';
import { aboutClientText } from './text.ts';

/**
 * The logo and the links of a client where somebody agrees to it. The server fetches the logo (services.clientLogos) and puts it into the
 * page: the browser asks no other server, which would learn who signs in when, and the content security policy stays as it is.
 */
export async function aboutClient(services: Services, locale: Locale, client: Client): Promise<Html | undefined> {
  const links = linksOf(locale, client);
  const logo = await logoOf(services, client);
  if (links.length === 0 && logo === undefined) return undefined;
  const words = aboutClientText[locale];
  return html`<div class="offer">
<p>${isSelfRegistered(client) ? words.ownWords : words.about(client.client_name)}</p>
<div class="about">
${logo !== undefined && html`<img src="${logo}" alt="">`}
<p>${links}</p>
</div>
</div>`;
}

/** In a window of their own: the sign-in stays. Of a client that nobody has vouched for, with the host, which alone can be checked. */
function linksOf(locale: Locale, client: Client): Html[] {
  const words = aboutClientText[locale];
  const named = [
    [words.website, client.client_uri],
    [words.policy, client.policy_uri],
    [words.terms, client.tos_uri],
  ] as const;
  return named.flatMap(([name, uri]) => {
    if (uri === undefined) return [];
    const text = isSelfRegistered(client) ? `${name} (${hostOf(uri)})` : name;
    return [html`<a href="${uri}" target="_blank" rel="noopener noreferrer">${text}</a>\n`];
  });
}

async function logoOf({ clientLogos }: Services, { logo_uri }: Client): Promise<string | undefined> {
  if (logo_uri === undefined) return undefined;
  const read = await clientLogos.read(logo_uri);
  return read.kind === 'read' ? read.document : undefined;
}
