import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  refusalOf,
  type View,
} from '../../operators/console-frame/page.ts';
import { faultSummary } from '../../operators/console-frame/parts.ts';
import { card, rows } from '../../operators/console-frame/setting-rows.ts';
import { onceField } from '../../operators/console-frame/shown-once.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { applicationCrumbs } from '../applications/frame.console.ts';
import { getApplication } from '../applications/operations.ts';
import { clientSections } from '../fields/declaration.fields.ts';
import { newBody, type Values } from '../fields/form.console.ts';
import type { Library } from './connect-libraries.console.ts';
import { clientSectionText } from './console.text.ts';
import { type ClientForm, clientForm } from './form.console.ts';
import { configured, fitting, missingAddresses } from './instructions.console.ts';
import { type Made, madeView } from './made.console.ts';
import { newClientText, presetsText } from './new.console.text.ts';
import { createClient } from './operations.ts';
import { ASKED, presetCards } from './presets.console.ts';
import { isPreset, type Preset, presetFields } from './presets.fields.ts';

/**
 * /console/applications/{code}/clients/new?preset=web: the kinds of clients, what a client of that kind is asked for, and everything else
 * folded away with the values of the preset. The answer to the form has the secret, and no other page has.
 */
export const newClient: ConsolePage = {
  place: 'applications',
  show: async context => {
    const found = await context.perform(getApplication);
    if (found.kind !== 'done') return refusalOf(found);
    const { defaults } = (await context.services.tables.fields()).client;
    return view(context, { ...defaults, ...presetFields(presetOf(context)) }, undefined, NO_FAULTS);
  },
  submit: async (context, form) => {
    const typed = await typedIn(context, form);
    const library = fitting(typed).find(({ page }) => page === form.get('library'));
    const body = newBody({ ...typed, ...(await addressesOf(context, typed, library)) });
    const made = await context.performOnce<Made>(createClient, { body });
    if (made.kind === 'refused') return made.refusal;
    return made.kind === 'faults' ? view(context, typed, library, made.faults) : madeView(context, made.value, library);
  },
};

/** Of the address. What it does not know shows the kind that most clients are. */
function presetOf({ query }: ConsoleContext): Preset {
  const named = query.get('preset');
  return isPreset(named) ? named : 'web';
}

async function typedIn(context: ConsoleContext, form: Params): Promise<Values> {
  const { typed, fieldsOf } = await clientForm(context);
  return typed(clientSections.flatMap(fieldsOf), form);
}

/** Where the library comes back to, as far as the operator has not said another address. */
async function addressesOf(context: ConsoleContext, typed: Values, library: Library | undefined): Promise<Values> {
  const configuration = await configured(context, typed, library);
  if (!configuration) return {};
  const isGiven = (name: string) => (typed[name] as readonly string[]).length > 0;
  return Object.fromEntries(Object.entries(missingAddresses(configuration, typed)).filter(([name]) => !isGiven(name)));
}

async function view(
  context: ConsoleContext,
  values: Values,
  library: Library | undefined,
  faults: Faults,
): Promise<View> {
  const { locale, services, params } = context;
  const text = newClientText[locale];
  const form = await clientForm(context);
  const preset = presetOf(context);
  const asked = clientSections.flatMap(form.fieldsOf).filter(({ name }) => ASKED[preset].includes(name));
  const footer = html`<span>${presetsText[locale].effects[preset]}</span><button type="submit">${text.create}</button>`;
  const details = html`${form.rows(asked, values, faults)}${rows(libraryField(context, values, library))}`;
  return {
    title: text.title,
    crumbs: applicationCrumbs(context, params.code ?? ''),
    status: faults.size === 0 ? 200 : 400,
    body: html`${card({ title: presetsText[locale].legend, body: html`<div class="card-body">${presetCards(locale, preset)}</div>` })}
<form method="post" class="cards">${onceField(services)}${faultSummary(locale, faults)}
${card({ title: text.details, about: text.detailsAbout, body: details, footer })}
${advanced(context, form, values, faults)}</form>`,
  };
}

function libraryField({ locale }: ConsoleContext, values: Values, chosen: Library | undefined): Html | false {
  const libraries = fitting(values);
  if (libraries.length === 0) return false;
  const text = newClientText[locale];
  const options = libraries.map(
    each => html`<option value="${each.page}"${each === chosen && html` selected`}>${each.label}</option>`,
  );
  return html`<div class="field"><label for="library">${text.library}</label><select id="library" name="library" aria-describedby="library-hint"><option value="">${text.anyLibrary}</option>${options}</select><p class="hint" id="library-hint">${text.libraryHint}</p></div>\n`;
}

/** Everything that has a default, folded away; open where a fault is in it. */
function advanced(context: ConsoleContext, form: ClientForm, values: Values, faults: Faults): Html {
  const { locale } = context;
  const preset = presetOf(context);
  const sections = clientSections.map(section => {
    const fields = form.fieldsOf(section).filter(({ name }) => !ASKED[preset].includes(name));
    const shown = form.rows(fields, values, faults);
    const [title, about] = clientSectionText[locale][section];
    return shown !== false && card({ title, about, body: shown });
  });
  const isFaulty = [...faults.keys()].some(name => !ASKED[preset].some(asked => name === asked));
  return html`<details class="more"${isFaulty && html` open`}><summary>${newClientText[locale].advanced}</summary>
${sections}</details>`;
}
