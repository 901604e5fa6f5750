import { answerForm } from '../../operators/console-frame/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  refusalOf,
  type View,
} from '../../operators/console-frame/page.ts';
import { faultSummary, field } from '../../operators/console-frame/parts.ts';
import { card, rows } from '../../operators/console-frame/setting-rows.ts';
import { onceField } from '../../operators/console-frame/shown-once.ts';
import type { Answer } from '../../platform/http/message.ts';
import { html } from '../../platform/ui/html.ts';
import { providerSections } from '../fields/declaration.fields.ts';
import { newBody, toldAbove, type Values } from '../fields/form.console.ts';
import { providerSectionText, providersPlace } from './console.text.ts';
import { addressRows, askedFields, hasAddress, type ProviderForm, providerForm } from './form.console.ts';
import { PROVIDERS, type ProviderRow, providerPath } from './frame.console.ts';
import { createProvider, listProviders } from './operations.ts';
import { newProviderText, presetText } from './presets.console.text.ts';
import { presetCards, proposedId, proposedName, typeOf } from './presets.console.ts';
import { MAX_PROVIDERS, type ProviderType } from './rules.ts';

/**
 * /console/providers/new?type=oidc: what the provider has given to the operator, the address to register there, and everything else folded
 * away. The identifier is proposed; script follows the name with it, and with the address.
 */
export const newProvider: ConsolePage = {
  place: 'providers',
  dangerous: 'all',
  omittable: ['metadata'],
  show: async context => {
    const type = typeOf(context.query.get('type'));
    const { defaults } = (await context.services.tables.fields()).provider;
    return view(context, type, { ...defaults, name: proposedName(type) }, NO_FAULTS);
  },
  submit: async (context, form) => {
    const type = typeOf(form.get('type'));
    const { all, typed: read } = await providerForm(context, type);
    const typed = { ...read(all, form), id: form.get('id')?.trim() ?? '' };
    const made = await context.performOnce<ProviderRow>(createProvider, {
      params: {},
      body: newBody({ ...typed, type }),
    });
    return answerForm(
      context,
      made,
      ({ id }) => ({ path: providerPath(id), notice: 'created' }),
      faults => view(context, type, typed, faults),
    );
  },
};

async function view(
  context: ConsoleContext,
  type: ProviderType,
  values: Values,
  faults: Faults,
): Promise<View | Answer> {
  const { locale, services } = context;
  const text = newProviderText[locale];
  const id = await identifierIn(context, type, values);
  if (typeof id !== 'string') return id;
  const form = await providerForm(context, type);
  const asked = askedFields(form, type);
  const named = form.all.filter(({ name }) => name === 'name');
  const isRegistered = hasAddress(type);
  const [label, hint] = isRegistered ? text.id : text.idAlone;
  const idField = field({ name: 'id', label, hint, value: id, required: true }, faults);
  const foot = html`<span>${text.effect}</span><button type="submit">${text.create}</button>`;
  const { where } = presetText[locale][type] ?? {};
  return {
    title: text.title,
    crumbs: [[providersPlace[locale], PROVIDERS]],
    status: faults.size === 0 ? 200 : 400,
    body: html`${card({ title: text.legend, body: html`<div class="card-body">${presetCards(locale, type)}</div>` })}
<form method="post" class="cards" data-follows="name id">${onceField(services)}<input type="hidden" name="type" value="${type}">${faultSummary(locale, toldAbove(locale, faults, [...form.all], form.all))}
${card({ title: isRegistered ? text.register : text.name, about: where, body: html`${form.rows(named, values, faults)}${rows(idField, ...addressRows(context, type, id))}` })}
${card({ title: text.details, body: html`${form.rows(asked, values, faults)}`, footer: foot })}
${advanced(context, form, [...named, ...asked], values, faults)}</form>`,
  };
}

/** What was typed, or the first that is free. */
async function identifierIn({ perform }: ConsoleContext, type: string, { id }: Values): Promise<string | Answer> {
  if (typeof id === 'string') return id;
  const found = await perform<{ readonly items: readonly ProviderRow[] }>(listProviders, {
    query: { limit: String(MAX_PROVIDERS) },
  });
  if (found.kind !== 'done') return refusalOf(found);
  return proposedId(
    type,
    found.value.items.map(each => each.id),
  );
}

/** Everything that has a default, folded away; open where a fault is in it. */
function advanced(
  { locale }: ConsoleContext,
  form: ProviderForm,
  asked: ReturnType<typeof askedFields>,
  values: Values,
  faults: Faults,
) {
  const rest = form.all.filter(each => !asked.includes(each));
  const sections = providerSections.map(section => {
    const fields = form.fieldsOf(section).filter(each => rest.includes(each));
    const shown = form.rows(fields, values, faults);
    const [title, about] = providerSectionText[locale][section];
    return shown !== false && card({ title, about, body: shown });
  });
  const isFaulty = [...faults.keys()].some(place => rest.some(({ name }) => name === place.split('.')[0]));
  return html`<details class="more"${isFaulty && html` open`}><summary>${newProviderText[locale].advanced}</summary>
${sections}</details>`;
}
