import { failure } from '../../failures.ts';
import type { Answer } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { type ConsoleContext, type ConsolePage, type Faults, NO_FAULTS, type View } from '../console-frame/page.ts';
import { faultSummary, field } from '../console-frame/parts.ts';
import { onceField } from '../console-frame/shown-once.ts';
import { apiText } from './console.text.ts';
import { loadSchema } from './operation.ts';
import type { AnyOperation, OperationAddress } from './operation-table.ts';
import { fieldsOf } from './schema-fields.ts';

/** /console/api/{operation}: an operator tries a call of the admin API, from /docs/api. What reads is sent at once, what acts is confirmed. */
export const tryOperation: ConsolePage = {
  dangerous: 'all',
  show: async context => {
    const call = await callOf(context);
    if (!call) return { failure: failure('notFound') };
    const isSent = context.query.get('send') !== undefined;
    return isSent && !call.acts ? send(context, call, context.query) : view(context, call, {});
  },
  submit: async (context, form) => {
    const call = await callOf(context);
    if (!call?.acts) return { failure: failure('notFound') };
    const faults =
      form.get('confirm') === 'true' ? NO_FAULTS : new Map([['confirm', apiText[context.locale].unconfirmed]]);
    return faults.size > 0 ? view(context, call, { typed: form, faults }) : send(context, call, form);
  },
};

interface TriedCall extends Pick<OperationAddress, 'id' | 'method' | 'path'> {
  readonly operation: AnyOperation;
  readonly acts: boolean;
  readonly takesBody: boolean;
  readonly params: readonly string[];
  readonly query: readonly string[];
}

async function callOf({ services, params }: ConsoleContext): Promise<TriedCall | undefined> {
  const address = services.tables.operations.addresses.find(({ id }) => id === params.operation);
  if (!address) return undefined;
  const { id, method, path } = address;
  const operation = await address.load();
  return {
    id,
    method,
    path,
    operation,
    acts: method !== 'GET',
    takesBody: method !== 'GET' && method !== 'DELETE',
    params: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    query: fieldsOf(await loadSchema<unknown>(operation.query, services.tables)).map(({ name }) => name),
  };
}

interface Shown {
  readonly typed?: Params;
  readonly faults?: Faults;
  readonly answer?: string | undefined;
}

async function send(context: ConsoleContext, call: TriedCall, typed: Params): Promise<View | Answer> {
  const valuesOf = (names: readonly string[], prefix: string) =>
    Object.fromEntries(
      names.map(name => [name, typed.get(prefix + name) ?? ''] as const).filter(([, value]) => value !== ''),
    );
  const body = bodyOf(call, typed.get('body') ?? '');
  if (body === 'malformed') {
    return view(context, call, { typed, faults: new Map([['body', apiText[context.locale].notJson]]) });
  }
  const input = { params: valuesOf(call.params, 'p.'), query: valuesOf(call.query, 'q.'), body: body?.value };
  const run = call.acts ? context.performOnce<unknown> : context.perform<unknown>;
  const outcome = await run(call.operation, input);
  if (outcome.kind === 'done')
    return view(context, call, { typed, answer: JSON.stringify(outcome.value, null, 2) ?? '' });
  if (outcome.kind === 'refused') {
    const { status, description } = outcome.refusal.failure;
    return view(context, call, { typed, faults: new Map([['', `${status}: ${description}`]]) });
  }
  const all = [...outcome.faults].map(([name, text]) => (name === '' ? text : `${name}: ${text}`)).join(' ');
  return view(context, call, { typed, faults: new Map([['', all]]) });
}

function bodyOf({ takesBody }: TriedCall, text: string): { readonly value: unknown } | 'malformed' | undefined {
  if (!takesBody || text.trim() === '') return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return 'malformed';
  }
}

function view(
  { locale, services }: ConsoleContext,
  call: TriedCall,
  { typed, faults = NO_FAULTS, answer }: Shown,
): View {
  const text = apiText[locale];
  const { method, path, operation, acts, takesBody, params, query } = call;
  // The first sentence of a summary says what the operation does, the others how.
  const [title = '', ...more] = operation.summary
    .split('. ')
    .map((each, at) => (at === 0 ? each.replace(/\.$/, '') : each));
  const input = (prefix: string, name: string, required: boolean): Html =>
    field({ name: prefix + name, label: name, value: typed?.get(prefix + name) ?? '', required }, faults);
  const example = JSON.stringify(operation.example ?? {}, null, 2);
  const fields = [
    ...params.map(name => input('p.', name, true)),
    ...query.map(name => input('q.', name, false)),
    ...(takesBody
      ? [field({ name: 'body', label: text.body, kind: 'lines', value: typed?.get('body') ?? example }, faults)]
      : []),
  ];
  const confirm = field(
    { name: 'confirm', label: text.confirm, hint: text.confirmHint, kind: 'check', required: true },
    faults,
  );
  const hidden = acts
    ? html`<input type="hidden" name="action" value="act">${onceField(services)}`
    : html`<input type="hidden" name="send" value="1">`;
  return {
    title,
    crumbs: [[text.crumb, '/docs/api']],
    chips: html`<code>${method} ${path}</code>`,
    about: html`${more.length > 0 && `${more.join('. ')} `}${text.about}`,
    status: faults.size === 0 ? 200 : 400,
    body: html`<section><h2>${text.parameters}</h2>${faultSummary(locale, faults)}
<form method="${acts ? 'post' : 'get'}">${hidden}
${fields.length > 0 ? fields : html`<p class="muted">${text.none}</p>`}${acts && confirm}<button type="submit"${acts && html` class="danger"`}>${text.send}</button></form></section>
${answer !== undefined && html`<section id="response"><h2>${text.answer}</h2>${answer === '' ? html`<p>${text.empty}</p>` : html`<pre>${answer}</pre>`}</section>`}`,
  };
}
