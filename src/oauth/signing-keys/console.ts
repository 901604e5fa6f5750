import { applicationFrame, applicationPath } from '../../directory/applications/frame.console.ts';
import { getApplication } from '../../directory/applications/operations.ts';
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
  copyable,
  faultSummary,
  field,
  type PillKind,
  pill,
  table,
  timeOf,
} from '../../operators/console-frame/parts.ts';
import { onceField } from '../../operators/console-frame/shown-once.ts';
import { consoleText } from '../../operators/console-frame/text.ts';
import type { Answer } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { keysText } from './console.text.ts';
import { deleteKey, listKeys, rotateKeys } from './operations.ts';
import { endOfUse, longestTokenTtl, publishedUntil, type TokenTtls } from './rules.ts';
import { type KeySpan, keyTimeLine } from './time-line.console.ts';

interface KeyRow {
  readonly kid: string;
  readonly alg: string;
  readonly state: 'next' | 'signing' | 'retired' | 'unused';
  readonly created_at: string;
  readonly sign_from: string;
  readonly retired_at?: string;
}

const PILLS: Readonly<Record<KeyRow['state'], PillKind>> = {
  next: 'plain',
  signing: 'ok',
  retired: 'plain',
  unused: 'plain',
};

/** /console/applications/{code}/keys */
export const keys: ConsolePage = {
  place: 'applications',
  dangerous: 'all',
  show: context => view(context, context.query.get('compromised'), NO_FAULTS),
  submit: (context, form) => (form.get('action') === 'compromised' ? remove(context, form) : rotate(context)),
};

async function rotate(context: ConsoleContext): Promise<View | Answer> {
  const rotated = await context.performOnce(rotateKeys, { body: {} });
  const next = { path: pathOf(context.params.code), notice: 'keyRotated' } as const;
  return answerForm(context, rotated, next, faults => view(context, undefined, faults));
}

async function remove(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const { perform, params, locale } = context;
  const kid = form.get('kid') ?? '';
  // By a name that a person can type: the key has 43 random characters.
  if (form.get('confirm') !== params.code)
    return view(context, kid, new Map([['confirm', keysText[locale].wrongName]]));
  const removed = await perform(deleteKey, { params: { code: params.code ?? '', kid } });
  const next = { path: pathOf(params.code), notice: 'keyDeleted' } as const;
  return answerForm(context, removed, next, faults => view(context, kid, faults));
}

function pathOf(app = ''): string {
  return applicationPath(app, 'keys');
}

async function view(context: ConsoleContext, kid: string | undefined, faults: Faults): Promise<View | Answer> {
  const { locale, perform, can, services } = context;
  const text = keysText[locale];
  const application = await perform<{ name: string } & TokenTtls>(getApplication);
  if (application.kind !== 'done') return refusalOf(application);
  const listed = await perform<{ items: KeyRow[] }>(listKeys);
  if (listed.kind !== 'done') return refusalOf(listed);
  const { name } = application.value;
  const spans = spansOf(listed.value.items, longestTokenTtl(application.value));
  const compromised = can(deleteKey) && listed.value.items.some(key => key.kid === kid) ? kid : undefined;
  return applicationFrame(context, name, 'keys', {
    actions: can(rotateKeys) ? rotateForm(context) : undefined,
    status: faults.size === 0 ? 200 : 400,
    body: html`${compromised === undefined ? faultSummary(locale, faults) : compromisedForm(context, compromised, faults)}
${spans.length > 0 && html`<section><h2>${text.timeLine}</h2><p class="muted">${text.schedule}</p>${keyTimeLine(locale, spans, services.clock.now(), text.states)}</section>`}
<section><h2>${text.list}</h2>${table(
      text.columns,
      spans.map(span => row(context, span)),
      html`<p>${text.none}</p>`,
    )}</section>`,
  });
}

function rotateForm({ locale, params, services }: ConsoleContext): Html {
  return html`<form method="post" action="${pathOf(params.code)}"><input type="hidden" name="action" value="rotate">${onceField(services)}<button type="submit">${keysText[locale].rotate}</button></form>`;
}

function compromisedForm({ locale, params }: ConsoleContext, kid: string, faults: Faults): Html {
  const text = keysText[locale];
  const shared = consoleText[locale];
  return html`<section><h2>${text.compromisedTitle}</h2><p>${text.compromisedText(kid)}</p>
<form method="post" action="${pathOf(params.code)}"><input type="hidden" name="action" value="compromised"><input type="hidden" name="kid" value="${kid}">
${field({ name: 'confirm', label: shared.typeToConfirm(params.code ?? ''), required: true }, faults)}
<button type="submit" class="danger">${text.compromisedButton}</button> <a href="${pathOf(params.code)}">${shared.cancel}</a></form></section>`;
}

function row({ locale, can, params }: ConsoleContext, { key, publishedUntil: until }: KeySpan<KeyRow>) {
  const text = keysText[locale];
  return [
    copyable(locale, key.kid),
    key.alg,
    pill(PILLS[key.state], text.states[key.state]),
    timeOf(locale, key.created_at),
    timeOf(locale, key.sign_from),
    Number.isFinite(until) ? timeOf(locale, new Date(until * 1000).toISOString()) : text.open,
    can(deleteKey)
      ? html`<a class="dangerous" href="${pathOf(params.code)}?compromised=${encodeURIComponent(key.kid)}">${text.compromised}</a>`
      : undefined,
  ];
}

/** Newest first, with the times of the key schedule (rules.ts). */
function spansOf(rows: readonly KeyRow[], longestTtl: number): KeySpan<KeyRow>[] {
  const timed = rows.map(key => ({
    key,
    alg: key.alg,
    createdAt: seconds(key.created_at),
    signFrom: seconds(key.sign_from),
    retiredAt: key.retired_at === undefined ? undefined : seconds(key.retired_at),
  }));
  const spans = timed.map(each => ({
    ...each,
    signsUntil: endOfUse(timed, each),
    publishedUntil: publishedUntil(timed, each, longestTtl),
  }));
  return spans.sort((one, other) => other.signFrom - one.signFrom);
}

function seconds(iso: string): number {
  return Date.parse(iso) / 1000;
}
