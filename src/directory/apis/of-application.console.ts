import { copyable, table } from '../../operators/console/parts.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { apisText } from './console.text.ts';
import type { Api } from './rules.ts';

const SCOPES_SHOWN = 5;

/** The part of an application's page that lists its APIs. */
export function apisSection(locale: OperatorLocale, path: string, apis: readonly Api[], canChange: boolean): Html {
  const text = apisText[locale];
  const rows = apis.map(({ identifier, name, scopes }) => [
    html`<a href="${path}/apis/${encodeURIComponent(identifier)}"><strong>${name}</strong></a>`,
    copyable(locale, identifier),
    scopesText(Object.keys(scopes)),
  ]);
  return html`<section><h2>${text.apis}</h2>${table(text.columns, rows, html`<p>${text.none}</p>`)}${
    canChange && html`<p><a class="button quiet" href="${path}/apis/new">${text.create}</a></p>`
  }</section>`;
}

function scopesText(scopes: readonly string[]): Html {
  const rest = scopes.length - SCOPES_SHOWN;
  return html`${scopes.slice(0, SCOPES_SHOWN).map(scope => html`<code>${scope}</code> `)}${rest > 0 && html`+${rest}`}`;
}
