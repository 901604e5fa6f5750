import { answerForm } from '../../operators/console-frame/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  refusalOf,
  type View,
} from '../../operators/console-frame/page.ts';
import { addressOf, copyable, pill, table, timeOf } from '../../operators/console-frame/parts.ts';
import { markDifference, type Piece } from '../../operators/console-frame/text-difference.ts';
import type { Refusal } from '../../platform/http/message.ts';
import { commandLine } from '../../platform/release.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { refusalsPlace } from '../refusals/console.text.ts';
import { listRefusalGroups } from '../refusals/operations.ts';
import { refusalText } from './console.text.ts';
import type { Explained } from './explained.ts';
import { refusalTitle, translatedRule } from './failure-text.console.ts';
import { applyFix, fixSection } from './fix.console.ts';
import { getRefusal } from './operations.ts';

/** /console/refusals/{request_id}: why one request was refused, and the repair where there is a safe one. */
export const refusal: ConsolePage = {
  place: 'refusals',
  // A new secret gives access.
  dangerous: { except: ['update'] },
  show: context => view(context, NO_FAULTS),
  submit: async (context, form) => {
    const applied = await applyFix(context, form);
    if (applied.kind === 'done' && applied.value.client_secret !== undefined) {
      return view(context, NO_FAULTS, applied.value.client_secret);
    }
    const next = { path: pathOf(context.params.request_id ?? ''), notice: 'repaired' } as const;
    return answerForm(context, applied, next, faults => view(context, faults));
  },
};

export function pathOf(requestId: string): string {
  return `/console/refusals/${encodeURIComponent(requestId)}`;
}

/** `secret`: of the client, just made. */
async function view(context: ConsoleContext, faults: Faults, secret?: string): Promise<View | Refusal> {
  const { locale, perform } = context;
  const found = await perform<Explained>(getRefusal);
  if (found.kind !== 'done') return refusalOf(found);
  const explained = found.value;
  return {
    title: refusalTitle(context, explained.reason),
    crumbs: [[refusalsPlace[locale], '/console/refusals']],
    about: html`${about(locale, explained)}${await frequency(context, explained)}`,
    status: faults.size === 0 ? 200 : 400,
    body: html`${secret !== undefined && newSecret(locale, secret)}<div class="columns">
<div>
${differenceSection(context, explained)}
${await fixSection(context, explained, secret === undefined ? faults : NO_FAULTS, secret === undefined)}
</div>
${stepsSection(locale, explained)}
</div>
${requestSection(locale, explained)}
${furtherSection(locale, explained)}`,
  };
}

function newSecret(locale: OperatorLocale, secret: string): Html {
  return html`<div class="notice" role="status"><p>${refusalText[locale].newSecret}</p>${copyable(locale, secret)}</div>\n`;
}

function about(locale: OperatorLocale, { error, status, application, client, time, method, route }: Explained): Html {
  const ofApplication = application !== undefined && html` · ${applicationLink(application)}`;
  const ofClient = application !== undefined && client !== undefined && html` · ${clientLink(application, client)}`;
  return html`${pill('bad', error)} ${status} ${method}${route !== undefined && html` ${route}`}${ofApplication}${ofClient} · ${timeOf(locale, time)}`;
}

interface Group {
  readonly reason: string;
  readonly client?: string;
  readonly count: number;
  readonly first: string;
}

/** Whether it happens again and again. Of a client, among the latest refusals of its application. */
async function frequency({ locale, perform }: ConsoleContext, explained: Explained): Promise<Html | false> {
  const { application, client, reason } = explained;
  if (application === undefined) return false;
  const asked = { params: {}, query: { application } };
  const found = await perform<{ items: readonly Group[] }>(listRefusalGroups, asked);
  const groups = found.kind === 'done' ? found.value.items : [];
  const group = groups.find(each => each.reason === reason && each.client === client);
  if (!group || group.count < 2) return false;
  return html` · <strong>${refusalText[locale].times(group.count.toLocaleString(locale))} ${timeOf(locale, group.first)}</strong>`;
}

export function applicationLink(application: string): Html {
  return html`<a href="/console/applications/${encodeURIComponent(application)}">${application}</a>`;
}

export function clientLink(application: string, client: string): Html {
  return html`<a href="/console/applications/${encodeURIComponent(application)}/clients/${encodeURIComponent(client)}">${client}</a>`;
}

/** What the operation says is in English, and is marked so for screen readers. */
function differenceSection(context: ConsoleContext, explained: Explained): Html {
  const { reason, expected, received, difference, rule } = explained;
  const text = refusalText[context.locale];
  const marked =
    difference?.expected === undefined || difference.received === undefined
      ? undefined
      : markDifference(difference.expected, difference.received);
  const translated = translatedRule(context, reason);
  const isOneOfMany = marked !== undefined && expected !== difference?.expected;
  return html`<section><h2>${text.differs}</h2><dl class="difference">
<dt>${text.received}</dt><dd class="mono" lang="en">${marked ? piecesHtml(marked.received) : received}</dd>
<dt>${text.expected}</dt><dd class="mono" lang="en">${marked ? piecesHtml(marked.expected) : expected}${isOneOfMany && html`<div class="muted">${expected}</div>`}</dd>
${difference && html`<dt>${text.difference}</dt><dd lang="en"><strong>${difference.text}</strong></dd>`}
<dt>${text.rule}</dt><dd>${translated ?? html`<span lang="en">${rule.text}</span>`} <span class="muted" lang="en">(${rule.reference})</span></dd>
</dl></section>`;
}

function piecesHtml(pieces: readonly Piece[]): Html {
  return html`${pieces.map(({ text, differs }) => (differs ? html`<mark>${text}</mark>` : text))}`;
}

const STEP_CLASSES = { passed: 'passed', failed: 'failed', 'not reached': 'unreached' } as const;

function stepsSection(locale: OperatorLocale, { progress }: Explained): Html {
  const text = refusalText[locale];
  const steps = progress.map(
    ({ phase, state }) =>
      html`<li class="${STEP_CLASSES[state]}"${state === 'failed' && html` aria-current="step"`}>${text.phases[phase] ?? capitalized(phase)} <span class="${state === 'failed' ? 'state' : 'unseen'}">${text.states[state]}</span></li>\n`,
  );
  return html`<section><h2>${text.steps}</h2><ol class="steps">
${steps}</ol></section>`;
}

function capitalized(phase: string): string {
  return phase.charAt(0).toUpperCase() + phase.slice(1);
}

function requestSection(locale: OperatorLocale, explained: Explained): Html {
  const text = refusalText[locale];
  const { parameters, difference } = explained;
  const rows = Object.entries(parameters).map(([name, value]) => [
    html`<code>${name}</code>`,
    html`<span class="mono" lang="en">${value}</span>`,
    remark(locale, value, difference?.received === value),
  ]);
  return html`<section><h2>${text.request}</h2>${table(text.columns, rows, html`<p>${text.noParameters}</p>`)}</section>`;
}

function remark(locale: OperatorLocale, value: string, isFaulty: boolean): Html | undefined {
  const text = refusalText[locale];
  if (isFaulty) return pill('bad', text.faulty);
  return value.includes('(not kept)') ? pill('plain', text.masked) : undefined;
}

function furtherSection(locale: OperatorLocale, { request_id, error, reason, application, user }: Explained): Html {
  const text = refusalText[locale];
  const alike = addressOf('/console/refusals', { application, reason });
  const events = addressOf('/console/activity', { request_id });
  return html`<section><h2>${text.further}</h2><dl class="facts">
<dt>${text.requestId}</dt><dd>${copyable(locale, request_id)}</dd>
<dt>${text.command}</dt><dd>${copyable(locale, `${commandLine()} explain ${request_id}`)}</dd>
${user !== undefined && html`<dt>${text.user}</dt><dd><a href="/console/users/${encodeURIComponent(user)}"><code>${user}</code></a></dd>\n`}<dt>${text.reference}</dt><dd><a href="/docs/errors/${encodeURIComponent(error)}">${error}</a></dd>
</dl><p class="links-row"><a href="${events}">${text.events}</a> <a href="${alike}">${text.alike}</a></p></section>`;
}
