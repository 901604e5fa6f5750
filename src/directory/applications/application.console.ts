import { refusalTitle } from '../../audit/explain/failure-text.console.ts';
import { listRefusalGroups } from '../../audit/refusals/operations.ts';
import { etagOf } from '../../operators/api/operation.ts';
import { answerForm } from '../../operators/console/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  refusalOf,
  type View,
} from '../../operators/console/page.ts';
import { confirmByName, copyable, faultSummary, table, timeOf } from '../../operators/console/parts.ts';
import { consoleText, inLocale } from '../../operators/console/text.ts';
import type { Answer, Refusal } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { apisSection } from '../apis/of-application.console.ts';
import type { Api } from '../apis/rules.ts';
import { createClient, listClients } from '../clients/operations.ts';
import { originText } from '../clients/origin.console.ts';
import type { ClientOrigin } from '../clients/rules.ts';
import type { Values } from '../fields/form.console.ts';
import { BUILT_IN_APPLICATION } from './built-in.rules.ts';
import { applicationForm } from './form.console.ts';
import { deleteApplication, getApplication, updateApplication } from './operations.ts';
import { issuerOf } from './rules.ts';

const words = inLocale({
  en: {
    applications: 'Applications',
    issuer: 'Issuer',
    clients: 'Clients',
    clientColumns: ['Name', 'client_id', 'Authentication', 'Registered by'],
    noClients: 'No client yet. A client is a program that signs people in here.',
    newClient: 'New client',
    keys: 'Signing keys',
    initialTokens: 'Initial access tokens',
    refusals: 'Recent refusals',
    refusalColumns: ['Reason', 'Client', 'Times', 'Latest'],
    noRefusals: 'No request was refused in the last seven days.',
    allRefusals: 'All refusals of this application',
    explain: 'Explain',
    settings: 'Settings',
    remove: 'Delete this application',
    removal: 'It is unreachable at once, and can be restored for 30 days.',
    removeButton: 'Delete application',
    wrongName: 'This is not its code.',
  },
  zh: {
    applications: '应用',
    issuer: '签发者',
    clients: '客户端',
    clientColumns: ['名称', 'client_id', '身份验证', '注册方式'],
    noClients: '还没有客户端。客户端是在此登录用户的程序。',
    newClient: '新建客户端',
    keys: '签名密钥',
    initialTokens: '初始访问令牌',
    refusals: '最近被拒绝的请求',
    refusalColumns: ['原因', '客户端', '次数', '最近一次'],
    noRefusals: '最近七天没有被拒绝的请求。',
    allRefusals: '此应用被拒绝的所有请求',
    explain: '查看原因',
    settings: '设置',
    remove: '删除此应用',
    removal: '应用会立即无法访问，30 天内可以恢复。',
    removeButton: '删除应用',
    wrongName: '代码不正确。',
  },
});

interface ClientRow {
  readonly client_id: string;
  readonly client_name: string;
  readonly token_endpoint_auth_method: string;
  readonly origin?: ClientOrigin;
}

interface RefusalGroup {
  readonly reason: string;
  readonly client?: string;
  readonly count: number;
  readonly latest: { readonly request_id: string; readonly time: string };
}

const REFUSALS_SHOWN = 5;

/** /console/applications/{code}: its clients, its settings, and its end. */
export const application: ConsolePage = {
  place: 'applications',
  dangerous: ['delete'],
  omittable: ['logo_uri'],
  show: context => view(context, undefined, NO_FAULTS),
  submit: async (context, form) => {
    if (form.get('action') === 'delete') return remove(context, form);
    const { code: _, ...body } = (await applicationForm(context)).typed(form);
    const saved = await context.perform(updateApplication, { body }, form.get('etag'));
    const path = `/console/applications/${encodeURIComponent(context.params.code ?? '')}`;
    return answerForm(context, saved, { path, notice: 'saved' }, faults => view(context, body, faults));
  },
};

async function remove(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const { params, perform, locale } = context;
  const again = (faults: Faults) => view(context, undefined, faults);
  if (form.get('confirm') !== params.code) return again(new Map([['confirm', words(locale).wrongName]]));
  const next = { path: '/console/applications', notice: 'applicationDeleted' } as const;
  return answerForm(context, await perform(deleteApplication), next, again);
}

/** `typed`: what was sent with faults stays in the form. */
async function view(context: ConsoleContext, typed: Values | undefined, faults: Faults): Promise<View | Refusal> {
  const { locale, perform, params, services, may, can } = context;
  const text = words(locale);
  const found = await perform<Values>(getApplication);
  if (found.kind !== 'done') return refusalOf(found);
  const clients = await perform<{ items: ClientRow[] }>(listClients, { query: { limit: '200' } });
  if (clients.kind !== 'done') return refusalOf(clients);
  const { show } = await applicationForm(context);
  const code = params.code ?? '';
  const refused = await perform<{ items: RefusalGroup[] }>(listRefusalGroups, {
    params: {},
    query: { application: code },
  });
  const path = `/console/applications/${encodeURIComponent(code)}`;
  const rows = clients.value.items.map(each => [
    html`<a href="${path}/clients/${encodeURIComponent(each.client_id)}"><strong>${each.client_name}</strong></a>`,
    copyable(locale, each.client_id),
    each.token_endpoint_auth_method,
    originText(locale, each.origin),
  ]);
  // The built-in application has clients, and settings of its own that stay as they are.
  const canChange = may('operator') && code !== BUILT_IN_APPLICATION;
  return {
    title: String(found.value.name),
    crumbs: [[text.applications, '/console/applications']],
    about: html`${text.issuer} ${copyable(locale, issuerOf(services.config.baseUrl, code))} · <a href="${path}/keys">${text.keys}</a>${
      code !== BUILT_IN_APPLICATION && html` · <a href="${path}/initial-access-tokens">${text.initialTokens}</a>`
    }`,
    actions: can(createClient)
      ? html`<a class=\"button\" href=\"${path}/clients/new\">${text.newClient}</a>`
      : undefined,
    status: faults.size === 0 ? 200 : 400,
    body: html`<section><h2>${text.clients}</h2>${table(text.clientColumns, rows, html`<p>${text.noClients}</p>`)}</section>
${code !== BUILT_IN_APPLICATION && apisSection(locale, path, (found.value.apis ?? []) as readonly Api[], canChange)}
${refused.kind === 'done' && refusalSection(locale, code, refused.value.items)}
<section><h2>${text.settings}</h2><form method="post">${faultSummary(locale, faults)}
<input type="hidden" name="etag" value="${etagOf(found.value)}">
${show(typed ?? found.value, faults, found.value)}${canChange && html`<button type="submit">${consoleText(locale).save}</button>`}</form></section>
${canChange && html`<section><h2>${text.remove}</h2><p>${text.removal}</p>${confirmByName(locale, code, 'delete', text.removeButton, faults)}</section>`}`,
  };
}

function refusalSection(locale: OperatorLocale, code: string, groups: readonly RefusalGroup[]): Html {
  const text = words(locale);
  const rows = groups
    .slice(0, REFUSALS_SHOWN)
    .map(({ reason, client, count, latest }) => [
      html`<strong>${refusalTitle(locale, reason)}</strong>`,
      client,
      count,
      html`${timeOf(locale, latest.time)} <a href="/console/refusals/${encodeURIComponent(latest.request_id)}">${text.explain}</a>`,
    ]);
  const all = html`<p class="after"><a href="/console/refusals?application=${encodeURIComponent(code)}">${text.allRefusals}</a></p>`;
  return html`<section><h2>${text.refusals}</h2>${table(text.refusalColumns, rows, html`<p>${text.noRefusals}</p>`)}${rows.length > 0 && all}</section>`;
}
