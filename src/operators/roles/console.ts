import { userState } from '../../directory/users/console.ts';
import type { Refusal } from '../../platform/http/message.ts';
import { html } from '../../platform/ui/html.ts';
import { answerForm } from '../console-frame/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  type Performed,
  refusalOf,
  type View,
} from '../console-frame/page.ts';
import { faultSummary, field, listCard, pager, table, timeOf } from '../console-frame/parts.ts';
import { person } from '../console-frame/person.ts';
import { onceField } from '../console-frame/shown-once.ts';
import { operatorsPlace, operatorsText } from './console.text.ts';
import { addOperator, listOperators } from './operations.ts';
import { limitOf, type RoleValues, roleFields, roleName, roleTabs, typedRole } from './role-form.console.ts';
import type { Role } from './store.ts';

export interface OperatorRow {
  readonly sub: string;
  readonly username: string;
  readonly role: Role;
  readonly applications?: readonly string[];
  readonly disabled: boolean;
  readonly created_at: string;
}

interface Typed extends RoleValues {
  readonly username?: string | undefined;
}

/** /console/operators: who may use the console and the admin API. */
export const operators: ConsolePage = {
  place: 'operators',
  dangerous: 'all',
  show: context => view(context, {}, NO_FAULTS),
  submit: async (context, form) => {
    const body = { ...typedRole(form), username: form.get('username') ?? '' };
    const added = orUnknownUser(context, await context.performOnce(addOperator, { params: {}, body }));
    return answerForm(context, added, { path: '/console/operators', notice: 'operatorAdded' }, faults =>
      view(context, body, faults),
    );
  },
};

/** A name that was typed wrong is a fault of the field; the page itself is there. */
function orUnknownUser({ locale }: ConsoleContext, performed: Performed<unknown>): Performed<unknown> {
  if (performed.kind !== 'refused' || performed.refusal.failure.parameter !== 'user') return performed;
  return { kind: 'faults', faults: new Map([['username', operatorsText[locale].noSuchUser]]) };
}

async function view(context: ConsoleContext, typed: Typed, faults: Faults): Promise<View | Refusal> {
  const { locale, query, perform, may, services } = context;
  const text = operatorsText[locale];
  const cursor = query.get('cursor');
  const found = await perform<{ items: OperatorRow[]; next: string | null }>(listOperators, {
    query: cursor === undefined ? {} : { cursor },
  });
  if (found.kind !== 'done') return refusalOf(found);
  const { items, next } = found.value;
  const rows = items.map(each => [
    person({ username: each.username, path: `/console/operators/${encodeURIComponent(each.sub)}` }),
    roleName(locale, each.role),
    limitOf(locale, each.applications),
    userState(locale, each.disabled),
    timeOf(locale, each.created_at),
  ]);
  const username = { name: 'username', label: text.username, hint: text.usernameHint, required: true } as const;
  const add = html`<section><h2>${text.add}</h2><form method="post"><input type="hidden" name="action" value="add">${onceField(services)}${faultSummary(locale, faults)}
${field({ ...username, value: typed.username }, faults)}${roleFields(locale, typed, faults)}<button type="submit">${text.addButton}</button></form></section>`;
  return {
    title: operatorsPlace[locale],
    status: faults.size === 0 ? 200 : 400,
    body: html`${roleTabs(context, 'operators')}
${listCard(false, table(text.columns, rows, html`<p>${text.empty}</p>`), pager(locale, '/console/operators', {}, { cursor, next }))}
${may('owner') && add}`,
  };
}
