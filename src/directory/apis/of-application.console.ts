import { copyable, table } from '../../operators/console/parts.ts';
import { inLocale } from '../../operators/console/text.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import type { Api } from './rules.ts';

const words = inLocale({
  en: {
    apis: 'APIs',
    columns: ['Name', 'Identifier', 'Scopes'],
    none: 'No API yet. With an API, clients get access tokens for it alone, with scopes of its own.',
    create: 'New API',
  },
  zh: {
    apis: 'API',
    columns: ['名称', '标识符', '范围（scope）'],
    none: '还没有 API。有了 API，客户端可以获取只用于该 API 的访问令牌，并使用它自己的范围。',
    create: '新建 API',
  },
});

const SCOPES_SHOWN = 5;

/** The part of an application's page that lists its APIs. */
export function apisSection(locale: OperatorLocale, path: string, apis: readonly Api[], canChange: boolean): Html {
  const text = words(locale);
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
