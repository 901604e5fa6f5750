import { type ConsolePage, NO_FAULTS } from '../../operators/console-frame/page.ts';
import { chip, listCard, listSearch, pager, pill, table, timeOf } from '../../operators/console-frame/parts.ts';
import { person } from '../../operators/console-frame/person.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { usersPlace, usersText } from './console.text.ts';
import { listUsers } from './operations.ts';

export interface UserRow {
  readonly sub: string;
  readonly username: string;
  readonly name?: string;
  readonly email?: string;
  readonly email_verified: boolean;
  readonly phone_number?: string;
  readonly phone_number_verified: boolean;
  readonly disabled: boolean;
  readonly require_mfa: boolean;
  readonly has_password: boolean;
  readonly updated_at: string;
}

/** /console/users: searched on the server by any part of a name, which an index answers also among millions. */
export const users: ConsolePage = {
  place: 'users',
  show: async ({ locale, query, perform, may, services }) => {
    const text = usersText[locale];
    const q = query.get('q');
    const cursor = query.get('cursor');
    const asked = { ...(q === undefined ? {} : { q }), ...(cursor === undefined ? {} : { cursor }) };
    const found = await perform<{ items: UserRow[]; next: string | null }>(listUsers, { query: asked });
    if (found.kind === 'refused') return found.refusal;
    const { items, next } = found.kind === 'done' ? found.value : { items: [], next: null };
    const faults = found.kind === 'faults' ? found.faults : NO_FAULTS;
    const invite =
      services.config.mail && html`<a class="button quiet" href="/console/users/invite">${text.invite}</a>`;
    const create = html`<div class="actions">${invite}<a class="button" href="/console/users/new">${text.create}</a></div>`;
    const none =
      q === undefined
        ? html`<p>${text.empty}</p>${may('operator') && create}`
        : html`<p>${text.noneFound(q)}</p><p><a href="/console/users">${text.showAll}</a></p>`;
    return {
      title: usersPlace[locale],
      actions: may('operator') ? create : undefined,
      status: faults.size === 0 ? 200 : 400,
      body: listCard(
        listSearch(locale, text.search, q, faults),
        table(text.columns, items.map(rowOf(locale)), none),
        pager(locale, '/console/users', { q }, { cursor, next }),
      ),
    };
  },
};

function rowOf(locale: OperatorLocale) {
  const text = usersText[locale];
  const claim = (value: string | undefined, isVerified: boolean): Html =>
    html`${value !== undefined && html`<span class="long">${value}</span>${!isVerified && html` ${pill('plain', text.unverified)}`}`}`;
  return (user: UserRow): Html[] => [
    person({ ...user, path: userPath(user.sub) }),
    claim(user.email, user.email_verified),
    claim(user.phone_number, user.phone_number_verified),
    userState(locale, user.disabled),
    timeOf(locale, user.updated_at),
  ];
}

export function userPath(sub: string): string {
  return `/console/users/${encodeURIComponent(sub)}`;
}

export function userState(locale: OperatorLocale, isDisabled: boolean): Html {
  const text = usersText[locale];
  return isDisabled ? chip(text.disabled, 'bad') : chip(text.active, 'ok');
}
