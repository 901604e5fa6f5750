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
import { confirmByName, faultSummary } from '../../operators/console-frame/parts.ts';
import { card, saveFoot } from '../../operators/console-frame/setting-rows.ts';
import type { Answer } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { ApplicationSection } from '../fields/declaration.fields.ts';
import type { Values } from '../fields/form.console.ts';
import { BUILT_IN_APPLICATION } from './built-in.rules.ts';
import { applicationSectionText, applicationText } from './console.text.ts';
import { type ApplicationForm, applicationForm } from './form.console.ts';
import { type ApplicationTab, applicationFrame, applicationPath } from './frame.console.ts';
import { deleteApplication, getApplication, updateApplication } from './operations.ts';

type SettingsTab = Extract<ApplicationTab, 'signIn' | 'look' | 'advanced'>;

const SECTIONS: Readonly<Record<SettingsTab, readonly ApplicationSection[]>> = {
  signIn: ['signIn', 'access'],
  look: ['identity', 'look'],
  advanced: ['tokens', 'exchange', 'registration'],
};

/** What was sent with faults stays in the form of its section. */
interface Sent {
  readonly section: ApplicationSection | 'delete';
  readonly typed?: Values;
  readonly faults: Faults;
}

/** /console/applications/{code}/sign-in, …/look and …/advanced: a card for each section of the settings, saved by itself. */
export const signInSettings = settingsTab('signIn');
export const lookSettings: ConsolePage = { ...settingsTab('look'), omittable: ['logo_uri'] };
/** And its end. */
export const advancedSettings: ConsolePage = {
  ...settingsTab('advanced'),
  dangerous: { except: [''] },
  submit: (context, form) =>
    form.get('action') === 'delete' ? remove(context, form) : save(context, form, 'advanced'),
};

function settingsTab(tab: SettingsTab): ConsolePage {
  return {
    place: 'applications',
    show: context => view(context, tab, undefined),
    submit: (context, form) => save(context, form, tab),
  };
}

async function save(context: ConsoleContext, form: Params, tab: SettingsTab): Promise<View | Answer> {
  const section = SECTIONS[tab].find(each => each === form.get('section'));
  if (section === undefined) return { failure: failure('valuesInvalid') };
  const typed = (await applicationForm(context)).typed(section, form);
  const saved = await context.perform(updateApplication, { body: typed }, form.get('etag'));
  const next = { path: applicationPath(context.params.code ?? '', tab), notice: 'saved' } as const;
  return answerForm(context, saved, next, faults => view(context, tab, { section, typed, faults }));
}

async function remove(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const { params, perform, locale } = context;
  const again = (faults: Faults) => view(context, 'advanced', { section: 'delete', faults });
  if (form.get('confirm') !== params.code) return again(new Map([['confirm', applicationText[locale].wrongName]]));
  const next = { path: '/console/applications', notice: 'applicationDeleted' } as const;
  return answerForm(context, await perform(deleteApplication), next, again);
}

async function view(context: ConsoleContext, tab: SettingsTab, sent: Sent | undefined): Promise<View | Answer> {
  const { perform, params, may } = context;
  if (params.code === BUILT_IN_APPLICATION) return { failure: failure('notFound') };
  const found = await perform<Values>(getApplication);
  if (found.kind !== 'done') return refusalOf(found);
  const form = await applicationForm(context);
  const canChange = may('operator');
  const cards = SECTIONS[tab].map(section => sectionCard(context, form, section, found.value, sent));
  const isAdvanced = tab === 'advanced';
  return applicationFrame(context, found.value.name, tab, {
    status: sent === undefined ? 200 : 400,
    body: html`${cards}${isAdvanced && initialTokens(context)}${isAdvanced && canChange && removal(context, sent)}`,
  });
}

function sectionCard(
  context: ConsoleContext,
  form: ApplicationForm,
  section: ApplicationSection,
  stored: Values,
  sent: Sent | undefined,
): Html | false {
  const { locale, may } = context;
  const { typed, faults } = sent?.section === section ? sent : { typed: undefined, faults: NO_FAULTS };
  const rows = form.rows(section, typed ?? stored, faults, stored);
  if (rows === false) return false;
  const [title, about] = applicationSectionText[locale][section];
  const footer = may('operator') ? saveFoot(context) : undefined;
  return html`<form method="post"><input type="hidden" name="section" value="${section}"><input type="hidden" name="etag" value="${etagOf(stored)}">${faultSummary(locale, form.toldAbove(section, faults))}
${card({ title, about, id: section, body: rows, footer })}</form>\n`;
}

function initialTokens({ locale, params }: ConsoleContext): Html {
  const text = applicationText[locale];
  const path = `${applicationPath(params.code ?? '')}/initial-access-tokens`;
  return html`<section><h2>${text.initialTokens}</h2><p>${text.aboutInitialTokens}</p><p><a class="button quiet" href="${path}">${text.initialTokensLink}</a></p></section>\n`;
}

function removal({ locale, params }: ConsoleContext, sent: Sent | undefined): Html {
  const text = applicationText[locale];
  const faults = sent?.section === 'delete' ? sent.faults : NO_FAULTS;
  return html`<section><h2>${text.remove}</h2><p>${text.removal}</p>${faults.has('confirm') ? false : faultSummary(locale, faults)}${confirmByName(locale, params.code ?? '', 'delete', text.removeButton, faults)}</section>`;
}
