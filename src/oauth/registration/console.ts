import { applicationCrumbs, applicationPath } from '../../directory/applications/frame.console.ts';
import { isoTime } from '../../operators/api/times.ts';
import { answerForm } from '../../operators/console-frame/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  refusalOf,
  type View,
} from '../../operators/console-frame/page.ts';
import {
  confirmByName,
  copyable,
  faultSummary,
  field,
  pager,
  secretOnce,
  table,
  timeOf,
} from '../../operators/console-frame/parts.ts';
import { onceField } from '../../operators/console-frame/shown-once.ts';
import type { Answer, Refusal } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { initialAccessTokensText } from './console.text.ts';
import { createInitialAccessToken, deleteInitialAccessToken, listInitialAccessTokens } from './operations.ts';

const EXPIRY_DAYS = [1, 30, 365];
const DAY_SECONDS = 86_400;

interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly expires_at?: string;
}

interface Shown {
  readonly typed?: { readonly name?: string | undefined; readonly days?: string | undefined };
  readonly faults?: Faults;
  /** The token whose deletion was confirmed by another name. */
  readonly deleting?: string | undefined;
  /** The new token, in the answer to its form and nowhere else. */
  readonly token?: string;
}

/** /console/applications/{code}/initial-access-tokens */
export const initialAccessTokens: ConsolePage = {
  place: 'applications',
  dangerous: 'all',
  show: context => view(context, {}),
  submit: async (context, form) => (form.get('action') === 'delete' ? remove(context, form) : create(context, form)),
};

async function create(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const typed = { name: form.get('name') ?? '', days: form.get('days') };
  const offered = EXPIRY_DAYS.find(each => String(each) === typed.days);
  const now = context.services.clock.now();
  const expiry = offered === undefined ? {} : { expires_at: isoTime(now + offered * DAY_SECONDS) };
  const made = await context.performOnce<{ initial_access_token: string }>(createInitialAccessToken, {
    body: { name: typed.name, ...expiry },
  });
  if (made.kind === 'refused') return made.refusal;
  if (made.kind === 'faults') return view(context, { typed, faults: made.faults });
  return view(context, { token: made.value.initial_access_token });
}

async function remove(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const { params, perform, locale } = context;
  const id = form.get('id') ?? '';
  if (form.get('confirm') !== form.get('name')) {
    return view(context, { deleting: id, faults: new Map([['confirm', initialAccessTokensText[locale].wrongName]]) });
  }
  const deleted = await perform(deleteInitialAccessToken, { params: { code: params.code ?? '', id } });
  return answerForm(context, deleted, { path: pathOf(context), notice: 'deleted' }, faults =>
    view(context, { faults }),
  );
}

function pathOf({ params }: ConsoleContext): string {
  return `${applicationPath(params.code ?? '')}/initial-access-tokens`;
}

async function view(context: ConsoleContext, shown: Shown): Promise<View | Refusal> {
  const { locale, query, perform, may, params } = context;
  const { typed = {}, faults = NO_FAULTS, deleting, token } = shown;
  const text = initialAccessTokensText[locale];
  const cursor = query.get('cursor');
  const found = await perform<{ items: TokenRow[]; next: string | null }>(listInitialAccessTokens, {
    query: cursor === undefined ? {} : { cursor },
  });
  if (found.kind !== 'done') return refusalOf(found);
  const { items, next } = found.value;
  const rows = items.map(each => [
    html`<strong>${each.name}</strong>`,
    copyable(locale, each.id),
    timeOf(locale, each.created_at),
    each.expires_at === undefined ? text.never : timeOf(locale, each.expires_at),
    html`${may('operator') && deletion(context, each, each.id === deleting ? faults : NO_FAULTS)}`,
  ]);
  const ofForm = deleting === undefined ? faults : NO_FAULTS;
  const code = params.code ?? '';
  return {
    title: text.title,
    crumbs: applicationCrumbs(context, code, 'advanced'),
    about: html`${text.about}`,
    status: faults.size === 0 ? 200 : 400,
    body: html`${token !== undefined && secretOnce(locale, text.made, token)}
<section>${table(text.columns, rows, html`<p>${text.empty}</p>`)}
${pager(locale, pathOf(context), {}, { cursor, next })}</section>
${may('operator') && html`<section><h2>${text.create}</h2>${faultSummary(locale, ofForm)}${creation(context, typed, ofForm)}</section>`}`,
  };
}

function creation({ locale, services }: ConsoleContext, typed: NonNullable<Shown['typed']>, faults: Faults): Html {
  const text = initialAccessTokensText[locale];
  const options = [
    ...EXPIRY_DAYS.map(days => [String(days), text.days(days)] as const),
    ['never', text.never] as const,
  ];
  const expiry = { name: 'days', label: text.expiry, hint: text.expiryHint, kind: { options } } as const;
  return html`<form method="post"><input type="hidden" name="action" value="create">${onceField(services)}
${field({ name: 'name', label: text.name, hint: text.nameHint, value: typed.name, required: true }, faults)}
${field({ ...expiry, value: typed.days ?? '30' }, faults)}<button type="submit">${text.createButton}</button></form>`;
}

/** Folded away in the row of the token, and confirmed by its name. */
function deletion({ locale }: ConsoleContext, { id, name }: TokenRow, faults: Faults): Html {
  const text = initialAccessTokensText[locale];
  return html`<details${faults.size > 0 && html` open`}><summary>${text.remove}</summary>${confirmByName(locale, name, 'delete', text.removeButton, faults, { id, name })}</details>`;
}
