import type { Answer, Refusal } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { isoTime } from '../api/times.ts';
import { answerForm } from '../console-frame/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  refusalOf,
  type View,
} from '../console-frame/page.ts';
import {
  confirmByName,
  copyable,
  faultSummary,
  field,
  listCard,
  pager,
  pill,
  secretOnce,
  table,
  timeOf,
} from '../console-frame/parts.ts';
import { onceField } from '../console-frame/shown-once.ts';
import { limitOf, type RoleValues, roleFields, roleName, roleTabs, typedRole } from '../roles/role-form.console.ts';
import type { Role } from '../roles/store.ts';
import { apiKeysText } from './console.text.ts';
import { createApiKey, deleteApiKey, listApiKeys } from './operations.ts';

const EXPIRY_DAYS = [30, 90, 365];
const NEVER = 'never';
const DAY_SECONDS = 86_400;
const PATH = '/console/api-keys';

interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly applications?: readonly string[];
  readonly created_at: string;
  readonly expires_at?: string;
  readonly last_used_at?: string;
}

interface Shown {
  readonly typed?: RoleValues & { readonly name?: string | undefined; readonly days?: string | undefined };
  readonly faults?: Faults;
  /** The key whose deletion was confirmed by another name. */
  readonly deleting?: string | undefined;
  /** The new key, in the answer to its form and nowhere else. */
  readonly key?: string;
}

/** /console/api-keys */
export const apiKeys: ConsolePage = {
  place: 'operators',
  dangerous: 'all',
  show: context => view(context, {}),
  submit: async (context, form) => (form.get('action') === 'delete' ? remove(context, form) : create(context, form)),
};

async function create(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const typed = { ...typedRole(form), name: form.get('name') ?? '', days: form.get('days') };
  const { days, ...rest } = typed;
  const offered = EXPIRY_DAYS.find(each => String(each) === days);
  const now = context.services.clock.now();
  const expiry = offered === undefined ? {} : { expires_at: isoTime(now + offered * DAY_SECONDS) };
  const made = await context.performOnce<{ key: string }>(createApiKey, {
    params: {},
    body: { ...rest, ...expiry },
  });
  if (made.kind === 'refused') return made.refusal;
  return view(context, made.kind === 'faults' ? { typed, faults: made.faults } : { key: made.value.key });
}

async function remove(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const id = form.get('id') ?? '';
  if (form.get('confirm') !== form.get('name')) {
    return view(context, { deleting: id, faults: new Map([['confirm', apiKeysText[context.locale].wrongName]]) });
  }
  const deleted = await context.perform(deleteApiKey, { params: { id } });
  return answerForm(context, deleted, { path: PATH, notice: 'deleted' }, faults => view(context, { faults }));
}

async function view(context: ConsoleContext, shown: Shown): Promise<View | Refusal> {
  const { locale, query, perform, may } = context;
  const { typed = {}, faults = NO_FAULTS, deleting, key } = shown;
  const text = apiKeysText[locale];
  const cursor = query.get('cursor');
  const found = await perform<{ items: KeyRow[]; next: string | null }>(listApiKeys, {
    query: cursor === undefined ? {} : { cursor },
  });
  if (found.kind !== 'done') return refusalOf(found);
  const { items, next } = found.value;
  const rows = items.map(each => [
    html`<strong>${each.name}</strong><span class="sub">${copyable(locale, each.id)}</span>`,
    roleName(locale, each.role),
    limitOf(locale, each.applications),
    timeOf(locale, each.created_at),
    expiryOf(context, each),
    each.last_used_at === undefined ? text.never : timeOf(locale, each.last_used_at),
    html`${may('owner') && deletion(context, each, each.id === deleting ? faults : NO_FAULTS)}`,
  ]);
  const form = html`<section><h2>${text.create}</h2>${deleting === undefined && faultSummary(locale, faults)}
${creation(context, typed, deleting === undefined ? faults : NO_FAULTS)}</section>`;
  return {
    title: text.title,
    status: faults.size === 0 ? 200 : 400,
    body: html`${key !== undefined && secretOnce(locale, text.made, key)}${roleTabs(context, 'apiKeys')}
${listCard(false, table(text.columns, rows, html`<p>${text.empty}</p>`), pager(locale, PATH, {}, { cursor, next }))}
${may('owner') && form}`,
  };
}

function creation({ locale, services }: ConsoleContext, typed: NonNullable<Shown['typed']>, faults: Faults): Html {
  const text = apiKeysText[locale];
  const options = [...EXPIRY_DAYS.map(days => [String(days), text.days(days)] as const), [NEVER, text.never] as const];
  const expiry = { name: 'days', label: text.expiry, hint: text.expiryHint, kind: { options } } as const;
  return html`<form method="post"><input type="hidden" name="action" value="create">${onceField(services)}
${field({ name: 'name', label: text.name, hint: text.nameHint, value: typed.name, required: true }, faults)}${roleFields(locale, typed, faults)}
${field({ ...expiry, value: typed.days ?? '90' }, faults)}<button type="submit">${text.createButton}</button></form>`;
}

/** Folded away in the row of the key, and confirmed by its name. */
function deletion({ locale }: ConsoleContext, { id, name }: KeyRow, faults: Faults): Html {
  const text = apiKeysText[locale];
  const target = { id, name };
  return html`<details${faults.size > 0 && html` open`}><summary>${text.remove}</summary>${confirmByName(locale, name, 'delete', text.removeButton, faults, target)}</details>`;
}

function expiryOf({ locale, services }: ConsoleContext, { expires_at }: KeyRow): Html {
  const text = apiKeysText[locale];
  if (expires_at === undefined) return html`${text.never}`;
  const isExpired = Date.parse(expires_at) / 1000 <= services.clock.now();
  return html`${timeOf(locale, expires_at)}${isExpired && html` ${pill('bad', text.expired)}`}`;
}
