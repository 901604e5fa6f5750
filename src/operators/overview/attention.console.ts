import { listEvents } from '../../audit/events/operations.ts';
import { createApplication, deleteApplication, listApplications } from '../../directory/applications/operations.ts';
import { RESTORABLE_SECONDS } from '../../directory/applications/rules.ts';
import { listWebhooks } from '../../notify/webhooks/operations.ts';
import { isLoopback } from '../../platform/config/config.ts';
import { timeText } from '../../platform/ui/time-text.ts';
import type { ConsoleContext } from '../console/page.ts';
import type { PillKind } from '../console/parts.ts';
import { DEMO } from '../demo/demo.ts';
import { attentionText } from './console.text.ts';
import {
  countText,
  keysPath,
  nodeName,
  QUEUE_PAGES,
  type QueueName,
  queueName,
  type Status,
} from './deployment.console.ts';

/** What an operator should look at first, each with the page that settles it. */
export interface Notice {
  readonly kind: PillKind;
  readonly mark: string;
  readonly sentence: string;
  readonly path: string;
}

function notice(kind: PillKind, mark: string, sentence: string, path: string): Notice {
  return { kind, mark, sentence, path };
}

const DAY_SECONDS = 86_400;

/** `status`: undefined for a role that is limited to applications. */
export async function attentionTo(context: ConsoleContext, status: Status | undefined): Promise<Notice[]> {
  const mails = status ? [undeliveredMails(context)] : [];
  const found = await Promise.all([
    applications(context),
    demo(context),
    deletions(context),
    webhooks(context),
    ...mails,
  ]);
  return [...(status ? ofDeployment(context, status) : []), ...found.flat()];
}

/** A key is rotated within the hour in which it is due. */
const OVERDUE_SECONDS = 2 * 3600;
const LONG_QUEUE = 1000;
const NODES = '/console#nodes';
const WORKERS = '/console#workers';

function ofDeployment(
  { locale, services }: ConsoleContext,
  { nodes, database_workers, keys_due, queues }: Status,
): Notice[] {
  const text = attentionText[locale];
  const at = (iso: string) => timeText(locale, new Date(iso));
  const gone = nodes
    .filter(({ live }) => !live)
    .map(node => notice('bad', text.node, text.notSeen(nodeName(node), at(node.seen_at)), NODES));
  const versions = [...new Set(nodes.filter(({ live }) => live).map(({ version }) => version))].sort();
  const mixed = versions.length > 1 ? [notice('plain', text.node, text.versions(versions.join(', ')), NODES)] : [];
  const lost = database_workers
    .filter(({ reachable }) => !reachable)
    .map(({ address, applications }) =>
      notice('bad', text.worker, text.workerLost(address, applications.toLocaleString(locale)), WORKERS),
    );
  const overdue = keys_due
    .filter(({ due_at }) => Date.parse(due_at) / 1000 + OVERDUE_SECONDS < services.clock.now())
    .map(({ application, alg, due_at }) =>
      notice('bad', text.key, text.keyDue(application, alg, at(due_at)), keysPath(application)),
    );
  const long = (Object.keys(queues) as QueueName[])
    .filter(name => queues[name] >= LONG_QUEUE)
    .map(name => {
      const sentence = text.waiting(queueName(locale, name), countText(locale, queues[name]));
      return notice('bad', text.queue, sentence, QUEUE_PAGES[name]);
    });
  const noMail = services.config.mail ? [] : [notice('bad', text.mail, text.noMail, '/console/mail')];
  return [...lost, ...gone, ...mixed, ...noMail, ...overdue, ...long];
}

async function applications({ perform, locale, can }: ConsoleContext): Promise<Notice[]> {
  const found = await perform<{ items: { code: string }[] }>(listApplications, { params: {}, query: { limit: '2' } });
  const isEmpty = found.kind === 'done' && found.value.items.every(({ code }) => code === 'gatehouse');
  if (!isEmpty || !can(createApplication)) return [];
  const text = attentionText[locale];
  return [notice('plain', text.application, text.noApplication, '/console/applications/new')];
}

/** Everybody knows the password of its user. */
async function demo({ services, locale, can }: ConsoleContext): Promise<Notice[]> {
  const { config, registry } = services;
  if (isLoopback(config.baseUrl) || !can(deleteApplication) || !(await registry.application(DEMO.app))) return [];
  const text = attentionText[locale];
  return [notice('bad', text.demo, text.demoIsPublic, `/console/applications/${DEMO.app}`)];
}

interface Deleted {
  readonly code: string;
  readonly name: string;
  readonly deleted_at: string;
}

async function deletions({ perform, locale, services }: ConsoleContext): Promise<Notice[]> {
  const query = { deleted: 'true', limit: '5' };
  const found = await perform<{ items: Deleted[] }>(listApplications, { params: {}, query });
  if (found.kind !== 'done') return [];
  const text = attentionText[locale];
  return found.value.items.map(({ name, deleted_at }) => {
    const end = Date.parse(deleted_at) / 1000 + RESTORABLE_SECONDS;
    const days = Math.max(0, Math.ceil((end - services.clock.now()) / DAY_SECONDS));
    return notice('plain', text.deleted, text.removal(name, days), '/console/applications#deleted');
  });
}

const MAX_MAILS_COUNTED = 100;

async function undeliveredMails({ perform, locale, services }: ConsoleContext): Promise<Notice[]> {
  const from = new Date((services.clock.now() - DAY_SECONDS) * 1000).toISOString();
  const query = { type: 'mail.undelivered', from, limit: String(MAX_MAILS_COUNTED) };
  const found = await perform<{ items: unknown[] }>(listEvents, { params: {}, query });
  if (found.kind !== 'done' || found.value.items.length === 0) return [];
  const text = attentionText[locale];
  const count = found.value.items.length;
  const sentence = text.undelivered(count < MAX_MAILS_COUNTED ? String(count) : `${count}+`);
  return [notice('bad', text.mail, sentence, '/console/activity?type=mail.undelivered')];
}

interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly state: string;
  readonly failing_since?: string;
}

async function webhooks({ perform, locale }: ConsoleContext): Promise<Notice[]> {
  const found = await perform<{ items: WebhookRow[] }>(listWebhooks, {
    params: {},
    query: { limit: '200' },
  });
  if (found.kind !== 'done') return [];
  const text = attentionText[locale];
  return found.value.items
    .filter(({ state, failing_since }) => state === 'paused' || failing_since !== undefined)
    .map(({ id, url, state }) => {
      const { origin } = new URL(url);
      const sentence = state === 'paused' ? text.paused(origin) : text.failing(origin);
      return notice('bad', text.webhook, sentence, `/console/webhooks/${encodeURIComponent(id)}`);
    });
}
