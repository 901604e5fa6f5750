import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { timeText } from '../../platform/ui/time-text.ts';
import type { Faults } from './page.ts';
import { consoleText } from './text.ts';

/** The pieces that pages of the console are made of. */

type Cell = Html | string | number | undefined;

/** A table with a head; on a phone each row becomes a block whose cells carry the names of their columns. */
export function table(columns: readonly string[], rows: readonly (readonly Cell[])[], empty: Html): Html {
  if (rows.length === 0) return html`<div class="empty">${empty}</div>`;
  // The column of the buttons has no name.
  const head = columns.map(name =>
    name === '' ? html`<td class="unnamed"></td>` : html`<th scope="col">${name}</th>`,
  );
  const label = (name = '') => name !== '' && html` data-label="${name}"`;
  const body = rows.map(
    cells => html`<tr>${cells.map((cell, place) => html`<td${label(columns[place])}>${cell}</td>`)}</tr>\n`,
  );
  return html`<table><thead><tr>${head}</tr></thead><tbody>
${body}</tbody></table>`;
}

/** A list as a page of its own: what searches it on top, the table from edge to edge, and the way to its next page. */
export function listCard(head: Html | false, ...body: readonly Html[]): Html {
  return html`<section class="card">${head && html`<div class="card-head">${head}</div>`}
${body}</section>`;
}

/** What is known of one object: a name and a value in each row. */
export function factTable(facts: readonly (readonly [string, Cell])[]): Html {
  return html`<table class="facts"><tbody>
${facts.map(
  ([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>
`,
)}</tbody></table>`;
}

/** To the next page of a list, with the filters that live in the address; back to the first page where this is none. */
export function pager(
  locale: OperatorLocale,
  path: string,
  filters: Readonly<Record<string, string | undefined>>,
  page: Paged,
  /** The name of the cursor in the address, where a page has several lists. */
  name = 'cursor',
): Html {
  const text = consoleText[locale];
  const address = (cursor: string | undefined) => addressOf(path, { ...filters, [name]: cursor });
  return html`<div class="pager">${page.cursor !== undefined && html`<a href="${address(undefined)}">${text.first}</a>`}${
    page.next !== null && html`<a href="${address(page.next)}" rel="next">${text.next}</a>`
  }</div>`;
}

export interface Paged {
  readonly cursor: string | undefined;
  readonly next: string | null;
}

/** An identifier, with a button that copies it; the button does nothing without script, and is not shown then. */
export function copyable(locale: OperatorLocale, value: string): Html {
  return html`<span class="copyable"><code>${value}</code><button type="button" class="copy" data-copy="${value}" hidden>${consoleText[locale].copy}</button></span>`;
}

export type PillKind = 'ok' | 'bad' | 'plain';

export function pill(kind: PillKind, text: string): Html {
  return html`<span class="pill ${kind}">${text}</span>`;
}

/**
 * In UTC, and to the second where a pointer rests on it. Script says it as the reader would, in the zone of the browser: "12 minutes
 * ago", or the hour of the day with the precision of seconds (console-times.js).
 */
export function timeOf(locale: OperatorLocale, iso: string, precision: 'minute' | 'second' = 'minute'): Html {
  const time = new Date(iso);
  return html`<time datetime="${iso}" title="${timeText(locale, time, 'second')}"${precision === 'second' && html` data-exact`}>${timeText(locale, time, precision)}</time>`;
}

export type ChipKind = 'ok' | 'warn' | 'bad' | 'plain';

/** A state or a fact beside a title or in a row. A dot has the colour of the state; the words say it too. */
export function chip(text: string | Html, kind?: ChipKind): Html {
  return html`<span class="chip">${kind && html`<span class="dot ${kind}"></span>`}${text}</span>`;
}

/** A filter that is in force, and the address without it. */
export function filterChip(text: string | Html, path: string, remove: string): Html {
  return html`<a class="chip" href="${path}">${text} <span aria-hidden="true">×</span><span class="unseen">${remove}</span></a>`;
}

/** The search of a list, on top of its card: one field, whose label is for those who do not see that it searches. */
export function listSearch(locale: OperatorLocale, label: string, value: string | undefined, faults: Faults): Html {
  const fault = faults.get('q');
  const invalid = fault !== undefined && html` aria-invalid="true" aria-describedby="q-fault"`;
  return html`<form method="get" role="search" class="list-search"><input type="search" id="q" name="q" value="${value}" aria-label="${label}" placeholder="${label}" autocomplete="off" spellcheck="false"${invalid}><button type="submit" class="quiet">${consoleText[locale].search}</button>${
    fault !== undefined && html`<p class="fault" id="q-fault">${fault}</p>`
  }</form>`;
}

export interface Tab {
  readonly name: string;
  readonly path: string;
  readonly isCurrent: boolean;
}

/** Places of one object, below its title. */
export function tabs(label: string, all: readonly Tab[]): Html {
  const links = all.map(
    ({ name, path, isCurrent }) => html`<a href="${path}"${isCurrent && html` aria-current="page"`}>${name}</a>\n`,
  );
  return html`<nav class="tabs" aria-label="${label}">
${links}</nav>`;
}

export interface Field {
  readonly name: string;
  /** Its name, unless the page has several fields of this name. */
  readonly id?: string | undefined;
  readonly label: string;
  /** What it means, below the field. */
  readonly hint?: string | undefined;
  readonly value?: string | undefined;
  /** In the empty field: what it then means. */
  readonly placeholder?: string | undefined;
  readonly kind?:
    | 'text'
    | 'number'
    | 'date'
    | 'lines'
    | 'check'
    | 'password'
    | { readonly options: readonly (readonly [string, string])[] };
  readonly required?: boolean;
  readonly autocomplete?: string;
}

/** A labelled field with its hint, and its fault announced beside it. */
export function field(
  { name, id = name, label, hint, value = '', placeholder, kind = 'text', required, autocomplete = 'off' }: Field,
  faults: Faults,
): Html {
  const fault = faults.get(name);
  const described = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`]
    .filter(Boolean)
    .join(' ');
  const attributes = html` id="${id}" name="${name}"${required && html` required`}${
    placeholder !== undefined && typeof kind !== 'object' && kind !== 'check' && html` placeholder="${placeholder}"`
  }${fault !== undefined && html` aria-invalid="true"`}${described !== '' && html` aria-describedby="${described}"`}`;
  const after = html`${fault !== undefined && html`<p class="fault" id="${id}-fault">${fault}</p>`}${
    hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`
  }`;
  if (kind === 'check') {
    return html`<div class="field check"><input type="checkbox"${attributes} value="true"${value === 'true' && html` checked`}><label for="${id}">${label}</label>${after}</div>\n`;
  }
  return html`<div class="field"><label for="${id}">${label}</label>${control(kind, attributes, value, autocomplete)}${after}</div>\n`;
}

/** A fault of one entry, such as `token_exchange.to`, is one of the field that has them all. */
export function faultsInside(name: string, faults: Faults): Faults {
  const [inside, text] = [...faults].find(([each]) => each.startsWith(`${name}.`)) ?? [];
  return inside === undefined ? faults : new Map([...faults, [name, `${inside.slice(name.length + 1)}: ${text}`]]);
}

/** What is no JSON stays as it was typed, so that the operation says what is wrong with it. */
export function jsonOrText(typed: string): unknown {
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

function control(
  kind: Exclude<Field['kind'], undefined | 'check'>,
  attributes: Html,
  value: string,
  autocomplete: string,
): Html {
  if (typeof kind === 'object') {
    const options = kind.options.map(
      ([option, name]) => html`<option value="${option}"${option === value && html` selected`}>${name}</option>`,
    );
    return html`<select${attributes}>${options}</select>`;
  }
  if (kind === 'lines')
    return html`<textarea${attributes} rows="${rowsFor(value)}" autocomplete="off" spellcheck="false">${value}</textarea>`;
  return html`<input type="${kind}"${attributes} value="${value}" autocomplete="${autocomplete}" spellcheck="false">`;
}

/** As many as it has lines, within a view of the page. */
function rowsFor(value: string): number {
  return Math.min(Math.max(value.split('\n').length, 3), 12);
}

/** Above a form that was sent with faults: what belongs to no field, or that there are some. */
export function faultSummary(locale: OperatorLocale, faults: Faults): Html | false {
  if (faults.size === 0) return false;
  const text = consoleText[locale];
  const whole = faults.has('changed') ? text.changedMeanwhile : (faults.get('') ?? text.faults);
  return html`<div class="alert" role="alert" tabindex="-1">${whole}</div>`;
}

/** A destructive act is confirmed by typing the name of what it ends. `target`: hidden fields, where a page has several such forms. */
export function confirmByName(
  locale: OperatorLocale,
  name: string,
  action: string,
  button: string,
  faults: Faults,
  target: Readonly<Record<string, string>> = {},
): Html {
  const hidden = Object.entries({ action, ...target }).map(
    ([key, value]) => html`<input type="hidden" name="${key}" value="${value}">`,
  );
  const id = target.id === undefined ? undefined : `confirm-${target.id}`;
  return html`<form method="post" class="danger">${hidden}
${field({ name: 'confirm', id, label: consoleText[locale].typeToConfirm(name), required: true }, faults)}
<button type="submit" class="danger">${button}</button></form>`;
}

export interface ActionButton {
  /** The value of `action` in the form. */
  readonly action: string;
  /** What it acts on, where the page shows several. */
  readonly id?: string;
  readonly label: string;
  /** For readers who do not see the row that the button is in. */
  readonly name?: string;
  readonly kind?: 'quiet' | 'danger';
  /** Of a form that acts once (`onceField`). */
  readonly once?: Html;
}

/** A form that is one button. */
export function actionButton({ action, id, label, name, kind = 'quiet', once }: ActionButton): Html {
  return html`<form method="post" class="act"><input type="hidden" name="action" value="${action}">${
    id !== undefined && html`<input type="hidden" name="id" value="${id}">`
  }${once}<button type="submit" class="${kind}"${name !== undefined && html` aria-label="${name}"`}>${label}</button></form>`;
}

/** A secret in the answer that made it. */
export function secretOnce(locale: OperatorLocale, label: string, secret: string): Html {
  return html`<div class="notice" role="status"><p><strong>${label}</strong></p>${copyable(locale, secret)}</div>`;
}

/** An address with the filters that have a value. */
export function addressOf(path: string, filters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value) query.set(name, value);
  return query.size === 0 ? path : `${path}?${query}`;
}
