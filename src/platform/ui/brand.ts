import { type Application, issuerOf } from '../../directory/applications/rules.ts';
import { type Html, html } from './html.ts';
import type { Locale } from './locale.rules.ts';
import { type LinkName, linkNames, sharedText } from './text.ts';

/** What a page, or a mail, shows of the application that it belongs to. */
export interface Brand {
  readonly name: string;
  /** Its address. Undefined: the initial of the name. */
  readonly logo?: string | undefined;
  /** As an operator chose it; accent.rules.ts has the colours to show. */
  readonly accent?: string | undefined;
  readonly links?: Readonly<Partial<Record<LinkName, string>>>;
}

/** With addresses of this server in full, so that they also work in a mail. */
export function brandOf(baseUrl: string, application: Application): Brand {
  const { code, name, logo_hash, accent_color, help_uri, policy_uri, tos_uri } = application;
  return {
    name,
    logo: logo_hash === undefined ? undefined : `${issuerOf(baseUrl, code)}/logo/${logo_hash}`,
    accent: accent_color,
    links: {
      ...(help_uri === undefined ? {} : { help: help_uri }),
      ...(policy_uri === undefined ? {} : { privacy: policy_uri }),
      ...(tos_uri === undefined ? {} : { terms: tos_uri }),
    },
  };
}

/** The application's logo or initial and its name, on top of every page that belongs to it. */
export function brandHeader({ name, logo }: Brand): Html {
  if (logo !== undefined) {
    return html`<header class="brand with-logo"><img class="logo" src="${logo}" alt=""><span>${name}</span></header>`;
  }
  const initial = [...name.trim()][0]?.toUpperCase() ?? '';
  return html`<header class="brand"><span class="initial" aria-hidden="true">${initial}</span><span>${name}</span></header>`;
}

/** In a window of their own: what was typed stays, and so does the sign-in. */
export function brandFooter({ links = {} }: Brand, locale: Locale): Html | false {
  const text = sharedText[locale].links;
  const shown = linkNames.flatMap(name => {
    const uri = links[name];
    return uri === undefined
      ? []
      : [html`<a href="${uri}" target="_blank" rel="noopener noreferrer">${text[name]}</a>\n`];
  });
  return shown.length > 0 && html`<footer class="links">\n${shown}</footer>`;
}
