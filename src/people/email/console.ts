import type { Listed } from '../../directory/users/holdings.console.ts';
import type { ConsoleContext } from '../../operators/console-frame/page.ts';
import { actionButton, table, timeOf } from '../../operators/console-frame/parts.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { emailUndosText } from './console.text.ts';

/** The change of a user's e-mail address that the former address can still undo. */
export interface EmailUndoRow {
  readonly email: string;
  readonly changed_at: string;
  readonly expires_at: string;
}

/** Nothing where there is none, as nearly always. */
export function emailUndosSection({ locale, may }: ConsoleContext, { items }: Listed<EmailUndoRow>): Html {
  if (items.length === 0) return html``;
  const text = emailUndosText[locale];
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
