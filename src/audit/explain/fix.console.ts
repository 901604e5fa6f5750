import { getClient, updateClient } from '../../directory/clients/operations.ts';
import { createClientSecret } from '../../directory/clients/secrets.operations.ts';
import { etagOf } from '../../operators/api/operation.ts';
import type { ConsoleContext, Faults, Performed } from '../../operators/console-frame/page.ts';
import { copyable, faultSummary, pill } from '../../operators/console-frame/parts.ts';
import { onceField } from '../../operators/console-frame/shown-once.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { refusalText } from './console.text.ts';
import type { Explained } from './explained.ts';
import type { Call } from './explanation.ts';
import { getRefusal } from './operations.ts';

/**
 * The repair of a refused request: what to do in words, and the call of the explanation as a form that says what it changes. The form
 * carries no values: the call is made again from what is stored, and done only if it is the one that the operator saw.
 */
interface Repair {
  readonly call: Call;
  readonly code: string;
  readonly client: string;
  readonly kind: 'update' | 'secret';
}

function repairOf({ call, application, client }: Explained): Repair | undefined {
  if (!call || application === undefined || client === undefined) return undefined;
  const path = `/applications/${encodeURIComponent(application)}/clients/${encodeURIComponent(client)}`;
  if (call.method === 'PATCH' && call.path === path) return { call, code: application, client, kind: 'update' };
  if (call.method === 'POST' && call.path === `${path}/secrets`)
    return { call, code: application, client, kind: 'secret' };
  return undefined;
}

export async function fixSection(
  context: ConsoleContext,
  explained: Explained,
  faults: Faults,
  isOffered: boolean,
): Promise<Html> {
  const { locale, may } = context;
  const text = refusalText[locale];
  const repair = isOffered ? repairOf(explained) : undefined;
  return html`<section><h2>${text.todo}</h2>${!repair && faultSummary(locale, faults)}<p lang="en">${explained.fix}</p>${
    repair &&
    html`<h3>${text.fixHere}</h3>${await changesOf(context, repair)}
${may('operator') ? fixForm(context, repair, faults) : html`<p class="muted">${text.needsOperator}</p>`}
<details><summary>${text.command}</summary><p>${copyable(locale, repair.call.command)}</p></details>`
  }</section>`;
}

function fixForm({ locale, services }: ConsoleContext, { call, client, kind }: Repair, faults: Faults): Html {
  const text = refusalText[locale];
  const change = text.changeField[Object.keys(call.body)[0] ?? ''] ?? text.changeClient;
  const button = kind === 'secret' ? text.makeSecret : change(client);
  return html`<form method="post">${faultSummary(locale, faults)}
<input type="hidden" name="action" value="${kind}"><input type="hidden" name="call" value="${etagOf(call)}">${onceField(services)}
<button type="submit">${button}</button></form>`;
}

/** Each field of the change as it will be, with what is added marked. */
async function changesOf({ locale, perform }: ConsoleContext, repair: Repair): Promise<Html> {
  const { call, code, client, kind } = repair;
  const text = refusalText[locale];
  if (kind === 'secret') return html`<p>${text.secretMade(client)}</p>`;
  const found = await perform<Record<string, unknown>>(getClient, { params: { code, client_id: client } });
  const present = found.kind === 'done' ? found.value : {};
  const fields = Object.entries(call.body).map(([name, values]) => {
    const before = listOf(present[name]);
    const items = listOf(values).map(
      value =>
        html`<li>${before.includes(value) ? html`<code>${value}</code>` : html`<ins><code>${value}</code></ins> ${pill('ok', text.added)}`}</li>`,
    );
    return html`<dt><code>${name}</code></dt><dd><ul class="values">${items}</ul></dd>\n`;
  });
  return html`<p>${text.changes(client)}</p><dl class="difference">${fields}</dl>`;
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

type Applied = Performed<{ readonly client_secret?: string }>;

/** The client is read before the call is made from it: a change of the client in between makes its ETag another one. */
export async function applyFix({ perform, performOnce }: ConsoleContext, form: Params): Promise<Applied> {
  const first = await perform<Explained>(getRefusal);
  if (first.kind !== 'done') return first;
  const seen = repairOf(first.value);
  if (!seen) return CHANGED;
  const params = { code: seen.code, client_id: seen.client };
  const client = await perform<unknown>(getClient, { params });
  if (client.kind !== 'done') return client;
  const found = await perform<Explained>(getRefusal);
  if (found.kind !== 'done') return found;
  const repair = repairOf(found.value);
  if (!repair || form.get('call') !== etagOf(repair.call) || form.get('action') !== repair.kind) return CHANGED;
  const { body } = repair.call;
  if (repair.kind === 'secret') return performOnce(createClientSecret, { params, body });
  return perform(updateClient, { params, body }, etagOf(client.value));
}

const CHANGED: Applied = { kind: 'faults', faults: new Map([['changed', '']]) };
