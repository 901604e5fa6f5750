import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  refusalOf,
  type View,
} from '../../operators/console/page.ts';
import { copyable, faultSummary } from '../../operators/console/parts.ts';
import { onceField } from '../../operators/console/shown-once.ts';
import { html } from '../../platform/ui/html.ts';
import { applicationsPlace } from '../applications/console.text.ts';
import { getApplication } from '../applications/operations.ts';
import { newBody, type Values } from '../fields/form.console.ts';
import { newClientText } from './console.text.ts';
import { clientForm } from './form.console.ts';
import { clientPath } from './frame.console.ts';
import { createClient } from './operations.ts';
import { presetChoice } from './presets.console.ts';
import { isPreset, type Preset, presetFields } from './presets.fields.ts';

interface Made {
  readonly client_id: string;
  readonly client_name: string;
  readonly client_secret?: string;
}

/** /console/applications/{code}/clients/new, with ?preset=web the values of a preset. The answer to its form has the secret, and no other page has. */
export const newClient: ConsolePage = {
  place: 'applications',
  show: async context => {
    const found = await context.perform(getApplication);
    if (found.kind !== 'done') return refusalOf(found);
    const preset = presetOf(context);
    const { defaults } = (await context.services.tables.fields()).client;
    return view(context, { ...defaults, ...(preset && presetFields(preset)) }, NO_FAULTS);
  },
  submit: async (context, form) => {
    const typed = (await clientForm(context)).typed(form);
    const made = await context.performOnce<Made>(createClient, { body: newBody(typed) });
    if (made.kind === 'refused') return made.refusal;
    return made.kind === 'faults' ? view(context, typed, made.faults) : madeView(context, made.value);
  },
};

/** Of the address: `?preset=web`. */
function presetOf({ query }: ConsoleContext): Preset | undefined {
  const named = query.get('preset');
  return isPreset(named) ? named : undefined;
}

function crumbs({ locale, params: { code = '' } }: ConsoleContext): NonNullable<View['crumbs']> {
  return [
    [applicationsPlace[locale], '/console/applications'],
    [code, `/console/applications/${encodeURIComponent(code)}`],
  ];
}

async function view(context: ConsoleContext, values: Values, faults: Faults): Promise<View> {
  const { locale, services } = context;
  const text = newClientText[locale];
  const { show } = await clientForm(context);
  return {
    title: text.title,
    crumbs: crumbs(context),
    status: faults.size === 0 ? 200 : 400,
    body: html`<section>${presetChoice(locale, presetOf(context))}</section>
<section><form method="post">${onceField(services)}${faultSummary(locale, faults)}
${show(values, faults)}<button type="submit">${text.create}</button></form></section>`,
  };
}

function madeView(context: ConsoleContext, { client_id, client_name, client_secret }: Made): View {
  const { locale, params } = context;
  const text = newClientText[locale];
  return {
    title: text.made(client_name),
    crumbs: crumbs(context),
    about: copyable(locale, client_id),
    status: 201,
    body: html`<section>${
      client_secret === undefined
        ? html`<p>${text.noSecret}</p>`
        : html`<h2>${text.secret}</h2><p class="secret">${copyable(locale, client_secret)}</p><p>${text.once}</p>`
    }
<p><a class="button" href="${clientPath(params.code ?? '', client_id)}">${text.connect}</a></p></section>`,
  };
}
