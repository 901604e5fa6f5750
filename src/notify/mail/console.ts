import { type ConsolePage, refusalOf } from '../../operators/console-frame/page.ts';
import { factTable, pager, table, timeOf } from '../../operators/console-frame/parts.ts';
import { settingsPlace } from '../../operators/overview/console.text.ts';
import { html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { outboxText } from './console.text.ts';
import { getOutboxMail, listOutbox } from './operations.ts';
import { testMailText } from './test-mail.text.ts';

interface MailRow {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly date?: string;
}

/** /console/outbox: owners read the mails of the development outbox. Elsewhere the page is not there. */
export const outbox: ConsolePage = {
  place: 'settings',
  show: async ({ locale, query, perform }) => {
    const text = outboxText[locale];
    const cursor = query.get('cursor');
    const asked = cursor === undefined ? {} : { cursor };
    const found = await perform<{ items: MailRow[]; next: string | null }>(listOutbox, { query: asked });
    if (found.kind !== 'done') return refusalOf(found);
    const { items, next } = found.value;
    const rows = items.map(({ id, to, subject, date }) => [
      html`<a href="/console/outbox/${id}">${subject || text.noSubject}</a>`,
      html`<span class="long">${to}</span>`,
      timeCell(locale, date),
    ]);
    return {
      title: text.title,
      crumbs: [
        [settingsPlace[locale], '/console/settings'],
        [testMailText[locale].title, '/console/mail'],
      ],
      about: html`${text.intro}`,
      body: html`<section>${table(text.columns, rows, html`<p>${text.none}</p>`)}
${pager(locale, '/console/outbox', {}, { cursor, next })}</section>`,
    };
  },
};

/** /console/outbox/{id}: the text part. Only links of this server can be followed. */
export const outboxMail: ConsolePage = {
  place: 'settings',
  show: async ({ locale, perform, services }) => {
    const text = outboxText[locale];
    const found = await perform<MailRow & { readonly text: string }>(getOutboxMail);
    if (found.kind !== 'done') return refusalOf(found);
    const { to, subject, date, text: body } = found.value;
    const links = linesOf(body).filter(line => line.startsWith(`${services.config.baseUrl}/`) && !/\s/.test(line));
    const list = links.map(link => html`<li><a href="${link}" rel="noreferrer">${link}</a></li>\n`);
    return {
      title: subject || text.noSubject,
      crumbs: [
        [settingsPlace[locale], '/console/settings'],
        [testMailText[locale].title, '/console/mail'],
        [text.title, '/console/outbox'],
      ],
      body: html`<section>${factTable([
        [text.to, to],
        [text.time, timeCell(locale, date)],
      ])}</section>
${links.length > 0 && html`<section><h2>${text.links}</h2><ul>${list}</ul></section>`}
<section><h2>${text.text}</h2><pre>${body}</pre></section>`,
    };
  },
};

function linesOf(text: string): readonly string[] {
  return text.split('\n').map(line => line.trim());
}

function timeCell(locale: OperatorLocale, date: string | undefined) {
  return date === undefined ? '–' : timeOf(locale, date);
}
