import { type ConsolePage, refusalOf } from '../../operators/console-frame/page.ts';
import { table } from '../../operators/console-frame/parts.ts';
import { html } from '../../platform/ui/html.ts';
import { attributeFormText, attributesPlace, attributesText } from './console.text.ts';
import { listUserAttributes } from './operations.ts';
import { MAX_ATTRIBUTES, type UserAttribute } from './rules.ts';

/** /console/user-attributes */
export const userAttributesPage: ConsolePage = {
  place: 'user-attributes',
  show: async ({ locale, perform, may }) => {
    const text = attributesText[locale];
    const form = attributeFormText[locale];
    const found = await perform<{ readonly items: readonly UserAttribute[] }>(listUserAttributes, {
      query: { limit: String(MAX_ATTRIBUTES) },
    });
    if (found.kind !== 'done') return refusalOf(found);
    const { items } = found.value;
    const create = may('operator') && html`<a class="button" href="/console/user-attributes/new">${text.create}</a>`;
    const rows = items.map(({ name, label, type, editable_by, scope }) => [
      html`<a href="${attributePath(name)}"><strong>${label}</strong></a>`,
      html`<code>${name}</code>`,
      form.types[type],
      form.editors[editable_by],
      scope === undefined ? html`<span class="muted">${text.noScope}</span>` : html`<code>${scope}</code>`,
    ]);
    return {
      title: attributesPlace[locale],
      actions: (items.length > 0 && create) || undefined,
      body: html`<section>${items.length > 0 && html`<p>${text.intro}</p>`}${table(text.columns, rows, html`<p>${text.empty}</p>${create}`)}</section>`,
    };
  },
};

export function attributePath(name: string): string {
  return `/console/user-attributes/${encodeURIComponent(name)}`;
}
