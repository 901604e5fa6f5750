import { failure } from '../../failures.ts';
import { type ConsolePage, refusalOf } from '../../operators/console-frame/page.ts';
import { copyable, table } from '../../operators/console-frame/parts.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { BUILT_IN_APPLICATION } from '../applications/built-in.rules.ts';
import { applicationFrame, applicationPath } from '../applications/frame.console.ts';
import { getApplication } from '../applications/operations.ts';
import { apisText } from './console.text.ts';
import type { Api } from './rules.ts';

const SCOPES_SHOWN = 5;

/** /console/applications/{code}/apis */
export const apisOfApplication: ConsolePage = {
  place: 'applications',
  show: async context => {
    const { locale, perform, may, params } = context;
    if (params.code === BUILT_IN_APPLICATION) return { failure: failure('notFound') };
    const text = apisText[locale];
    const found = await perform<{ readonly name: string; readonly apis?: readonly Api[] }>(getApplication);
    if (found.kind !== 'done') return refusalOf(found);
    const { name, apis = [] } = found.value;
    const path = applicationPath(params.code ?? '', 'apis');
    const rows = apis.map(({ identifier, name, scopes }) => [
      html`<a href="${path}/${encodeURIComponent(identifier)}"><strong>${name}</strong></a>`,
      copyable(locale, identifier),
      scopesText(Object.keys(scopes)),
    ]);
    const create = may('operator') && html`<a class="button" href="${path}/new">${text.create}</a>`;
    return applicationFrame(context, name, 'apis', {
      actions: (apis.length > 0 && create) || undefined,
      body: html`<section><h2>${text.apis}</h2>${table(text.columns, rows, html`<p>${text.none}</p>${create}`)}</section>`,
    });
  },
};

function scopesText(scopes: readonly string[]): Html {
  const rest = scopes.length - SCOPES_SHOWN;
  return html`${scopes.slice(0, SCOPES_SHOWN).map(scope => html`<code>${scope}</code> `)}${rest > 0 && html`+${rest}`}`;
}
