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
  actionButton,
  copyable,
  faultSummary,
  listCard,
  listSearch,
  pager,
  table,
  timeOf,
} from '../../operators/console-frame/parts.ts';
import { face } from '../../operators/console-frame/person.ts';
import { card } from '../../operators/console-frame/setting-rows.ts';
import type { Refusal } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { durationText } from '../../platform/ui/time-text.ts';
import { applicationsPlace, applicationsText } from './console.text.ts';
import { createApplication, listApplications, restoreApplication } from './operations.ts';

interface Row {
  readonly code: string;
  readonly name: string;
  readonly id_token_signed_response_alg: string;
  readonly access_token_ttl: number;
}

interface DeletedRow extends Row {
  readonly deleted_at: string;
}

const PATH = '/console/applications';
const DELETED_SHOWN = '50';

/** /console/applications: those that exist, and those that can be restored. */
export const applications: ConsolePage = {
  place: 'applications',
  show: context => view(context, NO_FAULTS),
  submit: async (context, form) => {
    const code = form.get('id') ?? '';
    const restored = await context.perform(restoreApplication, { params: { code } });
    const next = { path: `${PATH}/${encodeURIComponent(code)}`, notice: 'restored' } as const;
    return answerForm(context, restored, next, faults => view(context, faults));
  },
};

async function view(context: ConsoleContext, faults: Faults): Promise<View | Refusal> {
  const { locale, query, perform, can } = context;
  const text = applicationsText[locale];
  const cursor = query.get('cursor');
  const q = query.get('q');
  const list = <Item>(asked: Readonly<Record<string, string>>) =>
    perform<{ items: Item[]; next: string | null }>(listApplications, { query: asked });
  const found = await list<Row>({ ...(cursor === undefined ? {} : { cursor }), ...(q === undefined ? {} : { q }) });
  if (found.kind !== 'done') return refusalOf(found);
  const deleted = await list<DeletedRow>({ deleted: 'true', limit: DELETED_SHOWN });
  if (deleted.kind !== 'done') return refusalOf(deleted);
  const { items, next } = found.value;
  const create = html`<a class="button" href="${PATH}/new">${text.create}</a>`;
  const rows = items.map(each => [
    html`<span class="who">${face(each.name)}<a href="${PATH}/${encodeURIComponent(each.code)}"><strong>${each.name}</strong></a></span>`,
    copyable(locale, each.code),
    each.id_token_signed_response_alg,
    durationText(locale, each.access_token_ttl),
  ]);
  const canCreate = can(createApplication);
  const none =
    q === undefined
      ? html`<p>${text.empty}</p>${canCreate && create}`
      : html`<p>${text.noneFound(q)}</p><p><a href="${PATH}">${text.showAll}</a></p>`;
  return {
    title: applicationsPlace[locale],
    actions: canCreate && (items.length > 0 || q !== undefined) ? create : undefined,
    status: faults.size === 0 ? 200 : 400,
    body: html`${faultSummary(locale, faults)}${listCard(
      listSearch(locale, text.search, q, NO_FAULTS),
      table(text.columns, rows, none),
      pager(locale, PATH, { q }, { cursor, next }),
    )}
${deleted.value.items.length > 0 && deletedSection(context, deleted.value.items)}`,
  };
}

function deletedSection({ locale, may }: ConsoleContext, items: readonly DeletedRow[]): Html {
  const text = applicationsText[locale];
  const rows = items.map(({ code, name, deleted_at }) => [
    name,
    copyable(locale, code),
    timeOf(locale, deleted_at),
    may('operator')
      ? actionButton({ action: 'restore', id: code, label: text.restore, name: text.restoreOne(name) })
      : undefined,
  ]);
  const body = table(text.deletedColumns, rows, html``);
  return card({ title: text.deleted, about: text.deletedAbout, id: 'deleted', body });
}
