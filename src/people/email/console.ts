import type { Listed } from '../../directory/users/holdings.console.ts';
import type { ConsoleContext } from '../../operators/console/page.ts';
import { actionButton, table, timeOf } from '../../operators/console/parts.ts';
import { inLocale } from '../../operators/console/text.ts';
import { type Html, html } from '../../platform/ui/html.ts';

/** The change of a user's e-mail address that the former address can still undo. */
const words = inLocale({
  en: {
    title: 'E-mail change that can be undone',
    hint: 'Whoever reads mail at the former address can undo the change and set a new password. If the change was right, revoke the link.',
    columns: ['Former address', 'Changed', 'Link valid until'],
    revoke: 'Revoke undo link',
  },
  zh: {
    title: '可撤销的邮箱更改',
    hint: '能读取原邮箱邮件的人可以撤销更改并设置新密码。如果更改无误，请作废撤销链接。',
    columns: ['原邮箱', '更改时间', '链接有效期至'],
    revoke: '作废撤销链接',
  },
});

export interface EmailUndoRow {
  readonly email: string;
  readonly changed_at: string;
  readonly expires_at: string;
}

/** Nothing where there is none, as nearly always. */
export function emailUndosSection({ locale, may }: ConsoleContext, { items }: Listed<EmailUndoRow>): Html {
  if (items.length === 0) return html``;
  const text = words(locale);
  const rows = items.map(({ email, changed_at, expires_at }) => [
    email,
    timeOf(locale, changed_at),
    timeOf(locale, expires_at),
  ]);
  const button = actionButton({ action: 'revoke-undos', label: text.revoke });
  return html`<section><h2>${text.title}</h2><p>${text.hint}</p>${table(text.columns, rows, html``)}${
    may('operator') && html`<div class="actions">${button}</div>`
  }</section>`;
}
