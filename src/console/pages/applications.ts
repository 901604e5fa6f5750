import { html } from '../../pages/html.ts';
import { type ConsolePage, refusalOf } from '../page.ts';
import { copyable, pager, table } from '../parts.ts';
import { inLocale } from '../text.ts';

const words = inLocale({
  en: {
    title: 'Applications',
    create: 'New application',
    columns: ['Name', 'Code', 'ID tokens', 'Access token'],
    empty: 'No application yet. An application is one issuer with its own clients, keys and tokens.',
    seconds: (count: number) => `${count} s`,
  },
  zh: {
    title: '应用',
    create: '新建应用',
    columns: ['名称', '代码', 'ID 令牌', '访问令牌'],
    empty: '还没有应用。每个应用都是一个签发者，拥有自己的客户端、密钥和令牌。',
    seconds: (count: number) => `${count} 秒`,
  },
});

interface Row {
  readonly code: string;
  readonly name: string;
  readonly id_token_signed_response_alg: string;
  readonly access_token_ttl: number;
}

/** /console/applications */
export const applications: ConsolePage = {
  place: 'applications',
  show: async ({ locale, query, perform, may }) => {
    const text = words(locale);
    const cursor = query.get('cursor');
    const found = await perform<{ items: Row[]; next: string | null }>('listApplications', {
      query: cursor === undefined ? {} : { cursor },
    });
    if (found.kind !== 'done') return refusalOf(found);
    const { items, next } = found.value;
    const create = html`<a class="button" href="/console/applications/new">${text.create}</a>`;
    const rows = items.map(each => [
      html`<a href="/console/applications/${encodeURIComponent(each.code)}"><strong>${each.name}</strong></a>`,
      copyable(locale, each.code),
      each.id_token_signed_response_alg,
      text.seconds(each.access_token_ttl),
    ]);
    return {
      title: text.title,
      actions: may('operator') && items.length > 0 ? create : undefined,
      body: html`<section>${table(text.columns, rows, html`<p>${text.empty}</p>${may('operator') && create}`)}
${pager(locale, '/console/applications', {}, { cursor, next })}</section>`,
    };
  },
};
