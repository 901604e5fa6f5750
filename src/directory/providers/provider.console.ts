import { failure } from '../../failures.ts';
import { etagOf } from '../../operators/api/operation.ts';
import { answerForm } from '../../operators/console-frame/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  refusalOf,
  type View,
} from '../../operators/console-frame/page.ts';
import { confirmByName, factTable, faultSummary } from '../../operators/console-frame/parts.ts';
import { card, rows, saveFoot } from '../../operators/console-frame/setting-rows.ts';
import type { Answer } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { type ProviderSection, providerSections } from '../fields/declaration.fields.ts';
import { changesTo, toldAbove, type Values } from '../fields/form.console.ts';
import { providerSectionText, providerText } from './console.text.ts';
import { applicationLinks, peopleText } from './console.ts';
import { addressRows, hasAddress, type ProviderForm, providerForm } from './form.console.ts';
import {
  PROVIDERS,
  type ProviderRow,
  providerFrame,
  providerPath,
  stateChip,
  stateLine,
  withProvider,
} from './frame.console.ts';
import { isKeyAction, keysSection, rotateKey } from './keys.console.ts';
import { deleteProvider, updateProvider } from './operations.ts';
import { presetText } from './presets.console.text.ts';
import { getProviderState, type WholeProviderState } from './state.operations.ts';

/** /console/providers/{id}: what comes of it, what to register there, a card for each section of its settings, and its end. */
export const providerPage: ConsolePage = {
  place: 'providers',
  dangerous: 'all',
  omittable: ['metadata'],
  show: context => withProvider(context, provider => view(context, provider, undefined)),
  submit: (context, form) => {
    const action = form.get('action');
    if (action === 'delete') return remove(context, form);
    return withProvider(context, provider =>
      isKeyAction(action) ? rotate(context, provider, action) : save(context, provider, form),
    );
  },
};

/** What was sent with faults stays in the form of its section. */
interface Sent {
  readonly section: ProviderSection | 'delete' | 'keys';
  readonly typed?: Values;
  readonly faults: Faults;
}

async function save(context: ConsoleContext, provider: ProviderRow, form: Params): Promise<View | Answer> {
  const section = providerSections.find(each => each === form.get('section'));
  if (section === undefined) return { failure: failure('valuesInvalid') };
  const { fieldsOf, typed: read } = await providerForm(context, provider.type, provider);
  const fields = fieldsOf(section);
  const typed = read(fields, form);
  // A secret that was left empty stays: the page does not know it.
  const changes = changesTo(fields, provider, typed);
  const saved = await context.perform(updateProvider, { body: changes }, form.get('etag'));
  const next = { path: providerPath(provider.id), notice: 'saved' } as const;
  return answerForm(context, saved, next, faults => view(context, provider, { section, typed, faults }));
}

async function rotate(
  context: ConsoleContext,
  provider: ProviderRow,
  action: Parameters<typeof rotateKey>[1],
): Promise<View | Answer> {
  const next = { path: providerPath(provider.id), notice: 'saved' } as const;
  return answerForm(context, await rotateKey(context, action), next, faults =>
    view(context, provider, { section: 'keys', faults }),
  );
}

async function remove(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const { params, perform, locale } = context;
  const again = (faults: Faults) =>
    withProvider(context, provider => view(context, provider, { section: 'delete', faults }));
  if (form.get('confirm') !== params.id) return again(new Map([['confirm', providerText[locale].wrongName]]));
  return answerForm(context, await perform(deleteProvider), { path: PROVIDERS, notice: 'deleted' }, again);
}

async function view(context: ConsoleContext, provider: ProviderRow, sent: Sent | undefined): Promise<View | Answer> {
  const { locale, perform, can } = context;
  const told = await perform<WholeProviderState>(getProviderState);
  if (told.kind !== 'done') return refusalOf(told);
  const text = providerText[locale];
  const form = await providerForm(context, provider.type, provider);
  const { where } = presetText[locale][provider.type] ?? {};
  const addresses = card({
    title: text.atProvider,
    about: where,
    body: rows(...addressRows(context, provider.type, provider.id, provider)),
  });
  const cards = providerSections.map(section => sectionCard(context, form, section, provider, sent));
  return providerFrame(context, provider, 'settings', {
    chips: stateChip(locale, told.value),
    status: sent === undefined ? 200 : 400,
    body: html`${glance(context, told.value)}
${hasAddress(provider.type) && addresses}
${cards}${sent?.section === 'keys' && faultSummary(locale, sent.faults)}${await keysSection(context, provider)}${can(deleteProvider) && removal(context, told.value, sent)}`,
  });
}

function glance({ locale }: ConsoleContext, state: WholeProviderState): Html {
  const text = providerText[locale];
  const { state: st, offeredBy, people } = text.factNames;
  const { linked_users: linked, only_way_of: only } = state;
  const few = only > 0 && html`<span class="sub">${text.onlyWay(peopleText(locale, only))}</span>`;
  return html`<section><h2>${text.facts}</h2>${factTable([
    [st, html`${stateChip(locale, state)} ${stateLine(locale, state)}`],
    [offeredBy, applicationLinks(state.applications, text.notOffered)],
    [people, html`${peopleText(locale, linked)}${few}`],
  ])}</section>\n`;
}

function sectionCard(
  context: ConsoleContext,
  form: ProviderForm,
  section: ProviderSection,
  provider: ProviderRow,
  sent: Sent | undefined,
): Html | false {
  const { locale, can } = context;
  const { typed = {}, faults } = sent?.section === section ? sent : { faults: NO_FAULTS };
  const fields = form.fieldsOf(section);
  const shown = form.rows(fields, { ...provider, ...typed }, faults);
  if (shown === false) return false;
  const [title, about] = providerSectionText[locale][section];
  const footer = can(updateProvider) ? saveFoot(context, providerText[locale].effect) : undefined;
  return html`<form method="post"><input type="hidden" name="section" value="${section}"><input type="hidden" name="etag" value="${etagOf(provider)}">${faultSummary(locale, toldAbove(locale, faults, fields, form.all))}
${card({ title, about, id: section, body: shown, footer })}</form>\n`;
}

/** How many people lose a way in, and how many of them the only one. */
function removal(context: ConsoleContext, state: WholeProviderState, sent: Sent | undefined): Html {
  const { locale, params } = context;
  const text = providerText[locale];
  const { applications, linked_users: linked, only_way_of: only } = state;
  const faults = sent?.section === 'delete' ? sent.faults : NO_FAULTS;
  const lost = only > 0 ? html`<strong>${text.locksOut(peopleText(locale, only))}</strong>` : text.locksOutNobody;
  const about = linked === 0 ? text.removalOfNone : html`${text.removal(peopleText(locale, linked))} ${lost}`;
  const confirm = html`${faults.has('confirm') ? false : faultSummary(locale, faults)}${confirmByName(locale, params.id ?? '', 'delete', text.removeButton, faults)}`;
  const first = html`<p>${text.offeredFirst} ${applicationLinks(applications, '')}</p>`;
  return html`<section><h2>${text.remove}</h2><p>${about}</p>${applications.length > 0 ? first : confirm}</section>`;
}
