import type { z } from 'zod';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { factTable, pill, table, timeOf } from '../console-frame/parts.ts';
import { deploymentText } from './console.text.ts';
import type { status } from './operations.ts';

/** The deployment itself, on the page of its status: its nodes, its database, what waits, and which keys are due. */
export type Status = z.output<typeof status>;
export type QueueName = keyof Status['queues'];

/** The page that shows what waits in each queue. */
export const QUEUE_PAGES: Readonly<Record<QueueName, string>> = {
  logout_notices: '/console/activity?type=session.ended',
  webhook_deliveries: '/console/webhooks',
  unsealed_events: '/console/activity',
  mails: '/console/activity?type=mail.undelivered',
};
const COUNTED_UP_TO = 10_000;

export function deploymentSections(locale: OperatorLocale, status: Status): Html {
  const { nodes, database, queues, keys_due } = status;
  const text = deploymentText[locale];
  const nodeRows = nodes.map(({ host, port, version, started_at, seen_at, live }) => [
    html`<code>${nodeName({ host, port })}</code>`,
    version,
    timeOf(locale, started_at),
    html`${timeOf(locale, seen_at)} ${live ? pill('ok', text.live) : pill('bad', text.gone)}`,
  ]);
  const queueRows = (Object.keys(queues) as QueueName[]).map(name => [
    html`<a href="${QUEUE_PAGES[name]}">${text.queueNames[name]}</a>`,
    countText(locale, queues[name]),
  ]);
  const keyRows = keys_due.map(({ application, alg, due_at }) => [
    html`<a href="${keysPath(application)}">${application}</a>`,
    alg,
    timeOf(locale, due_at),
  ]);
  const facts = factTable([
    [text.product, `${text.kinds[database.kind]} ${database.version}`],
    [text.size, sizeText(locale, database.size_bytes)],
    [text.latency, `${database.latency_ms} ms`],
    [text.migration, database.migration],
  ]);
  return html`<section id="nodes"><h2>${text.nodes}</h2>${table(text.nodeColumns, nodeRows, html`<p>${text.noNodes}</p>`)}</section>
<div class="columns even"><section><h2>${text.queues}</h2>${table(text.queueColumns, queueRows, html``)}</section>
<section><h2>${text.database}</h2>${facts}</section></div>
${workersSection(locale, status)}
<section><h2>${text.keys}</h2>${table(text.keyColumns, keyRows, html`<p>${text.noKeys}</p>`)}</section>`;
}

/** Of a Citus cluster. */
function workersSection(locale: OperatorLocale, { database_workers: workers }: Status): Html {
  if (workers.length === 0) return html``;
  const text = deploymentText[locale];
  const rows = workers.map(({ address, applications, reachable }) => [
    html`<code>${address}</code>`,
    applications.toLocaleString(locale),
    reachable ? pill('ok', text.reachable) : pill('bad', text.unreachable),
  ]);
  return html`<section id="workers"><h2>${text.workers}</h2>${table(text.workerColumns, rows, html``)}</section>`;
}

export function nodeName({ host, port }: Pick<Status['nodes'][number], 'host' | 'port'>): string {
  return `${host}:${port}`;
}

export function keysPath(application: string): string {
  return `/console/applications/${encodeURIComponent(application)}/keys`;
}

export function queueName(locale: OperatorLocale, name: QueueName): string {
  return deploymentText[locale].queueNames[name];
}

/** The operation counts no further than a limit. */
export function countText(locale: OperatorLocale, count: number): string {
  const shown = count.toLocaleString(locale);
  return count < COUNTED_UP_TO ? shown : deploymentText[locale].orMore(shown);
}

function sizeText(locale: OperatorLocale, bytes: number): string {
  const megabytes = bytes / 1_000_000;
  const [value, unit] = megabytes < 1000 ? [megabytes, 'MB'] : [megabytes / 1000, 'GB'];
  return `${value.toLocaleString(locale, { maximumFractionDigits: 1 })} ${unit}`;
}
