import { failure } from '../../failures.ts';
import { etagOf } from '../../operators/api/operation.ts';
import { answerForm } from '../../operators/console-frame/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  type View,
} from '../../operators/console-frame/page.ts';
import { confirmByName, faultSummary } from '../../operators/console-frame/parts.ts';
import { card, saveFoot } from '../../operators/console-frame/setting-rows.ts';
import type { Answer } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { applicationPath } from '../applications/frame.console.ts';
import { type ClientField, type ClientSection, clientSections } from '../fields/declaration.fields.ts';
import { changesTo, toldAbove, type Values } from '../fields/form.console.ts';
import { clientSectionText, clientSettingsText } from './console.text.ts';
import { type ClientForm, clientForm } from './form.console.ts';
import { type ClientTab, clientFrame, clientPath, withClient } from './frame.console.ts';
import { deleteClient, updateClient } from './operations.ts';

type SettingsTab = Extract<ClientTab, 'settings' | 'permissions' | 'authentication' | 'tokens'>;

const SECTIONS: Readonly<Record<SettingsTab, readonly ClientSection[]>> = {
  settings: ['identity', 'addresses'],
  permissions: ['access'],
  authentication: ['authentication'],
  tokens: ['tokens'],
};

/** …/clients/{client_id}/settings, …/permissions, …/authentication, …/tokens: a card for each section of its fields, saved by itself. */
export const clientPermissions = settingsTab('permissions');
export const clientAuthentication = settingsTab('authentication');
export const clientTokens = settingsTab('tokens');
/** And its end. */
export const clientSettings: ConsolePage = {
  ...settingsTab('settings'),
  dangerous: { except: [''] },
  submit: (context, form) =>
    form.get('action') === 'delete'
      ? remove(context, form)
      : withClient(context, current => save(context, 'settings', current, form)),
};

function settingsTab(tab: SettingsTab): ConsolePage {
  return {
    place: 'applications',
    show: context => withClient(context, client => view(context, tab, client, undefined)),
    submit: (context, form) => withClient(context, current => save(context, tab, current, form)),
  };
}

async function save(context: ConsoleContext, tab: SettingsTab, current: Values, form: Params): Promise<View | Answer> {
  const { params, perform } = context;
  const section = SECTIONS[tab].find(each => each === form.get('section'));
  if (section === undefined) return { failure: failure('valuesInvalid') };
  const { fieldsOf, typed } = await clientForm(context, current);
  const fields = fieldsOf(section);
  // Against what the operator saw: what someone else has changed meanwhile is not changed back.
  const changes = changesTo(fields, seenValues(form) ?? current, typed(fields, form));
  const saved = await perform(updateClient, { body: changes }, form.get('etag'));
  const path = clientPath(params.code ?? '', params.client_id ?? '', tab);
  return answerForm(context, saved, { path, notice: 'saved' }, faults =>
    view(context, tab, current, { section, typed: changes, faults }),
  );
}

/** The client as the form showed it. */
function seenValues(form: Params): Values | undefined {
  try {
    const seen: unknown = JSON.parse(form.get('seen') ?? '');
    return typeof seen === 'object' && seen !== null ? (seen as Values) : undefined;
  } catch {
    return undefined;
  }
}

async function remove(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const { params, perform, locale } = context;
  const again = (faults: Faults) =>
    withClient(context, client => view(context, 'settings', client, { section: 'delete', typed: {}, faults }));
  if (form.get('confirm') !== params.client_id)
    return again(new Map([['confirm', clientSettingsText[locale].wrongName]]));
  const path = applicationPath(params.code ?? '');
  return answerForm(context, await perform(deleteClient), { path, notice: 'deleted' }, again);
}

/** What a client that has registered itself can change, and what it cannot (operator-limits.ts). */
function ownChanges(
  locale: OperatorLocale,
  fields: readonly ClientField[],
  { origin, operator_limits: limits = {} }: Values,
): Html | false {
  if (origin !== 'dynamic_registration') return false;
  const text = clientSettingsText[locale];
  const limited = fields
    .filter(({ name }) => Object.hasOwn(limits as Values, name))
    .map(field => field.text[locale][0]);
  const names = limited.length > 0 && html` ${text.limited} ${limited.join(text.comma)}`;
  return html`<p class="hint">${text.ownChanges}${names}</p>\n`;
}

/** What was sent with faults stays in the form of its section. */
interface Sent {
  readonly section: ClientSection | 'delete';
  readonly typed: Values;
  readonly faults: Faults;
}

const NOTHING_SENT = { typed: {}, faults: NO_FAULTS } as const;

async function view(context: ConsoleContext, tab: SettingsTab, current: Values, sent: Sent | undefined): Promise<View> {
  const { locale, can } = context;
  const text = clientSettingsText[locale];
  const form = await clientForm(context, current);
  const cards = SECTIONS[tab].map(section => sectionCard(context, form, section, current, sent));
  const { faults } = sent?.section === 'delete' ? sent : NOTHING_SENT;
  const removal = html`<section><h2>${text.remove}</h2><p>${text.removal}</p>${confirmByName(locale, String(current.client_id), 'delete', text.removeButton, faults)}</section>`;
  const body = html`${ownChanges(locale, clientSections.flatMap(form.fieldsOf), current)}${cards}${tab === 'settings' && can(updateClient) && removal}`;
  return clientFrame(context, current, tab, body, sent === undefined ? 200 : 400);
}

function sectionCard(
  context: ConsoleContext,
  form: ClientForm,
  section: ClientSection,
  current: Values,
  sent: Sent | undefined,
): Html | false {
  const { locale, can } = context;
  const { typed, faults } = sent?.section === section ? sent : NOTHING_SENT;
  const fields = form.fieldsOf(section);
  const rows = form.rows(fields, { ...current, ...typed }, faults);
  if (rows === false) return false;
  const [title, about] = clientSectionText[locale][section];
  // Of a client that publishes its metadata itself: a change here would not last.
  const canChange = can(updateClient) && current.origin !== 'client_id_metadata';
  const seen = Object.fromEntries(fields.map(({ name }) => [name, current[name]]));
  return html`<form method="post"><input type="hidden" name="section" value="${section}"><input type="hidden" name="etag" value="${etagOf(current)}"><input type="hidden" name="seen" value="${JSON.stringify(seen)}">${faultSummary(locale, toldAbove(locale, faults, fields, clientSections.flatMap(form.fieldsOf)))}
${card({ title, about, id: section, body: rows, footer: canChange ? saveFoot(context) : undefined })}</form>\n`;
}
