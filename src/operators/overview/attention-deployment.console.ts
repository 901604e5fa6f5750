import { listEvents } from '../../audit/events/operations.ts';
import { updateUser } from '../../directory/users/operations.ts';
import { isLoopback } from '../../platform/config/config.ts';
import { timeText } from '../../platform/ui/time-text.ts';
import type { ConsoleContext } from '../console-frame/page.ts';
import { attentionText } from './attention.console.text.ts';
import { isPlaceholder } from './clients.rules.ts';
import {
  countText,
  keysPath,
  nodeName,
  QUEUE_PAGES,
  type QueueName,
  queueName,
  type Status,
} from './deployment.console.ts';
import type { Notice } from './notice.console.ts';

const STATUS = '/console/status';

/** Of the whole deployment: its nodes, mail, keys, backups, secrets and operators. */
export async function deploymentNotices(context: ConsoleContext, status: Status): Promise<Notice[]> {
  return [
    ...ofDatabase(context, status),
    ...ofNodes(context, status),
    ...ofSecrets(context),
    ...ofMail(context),
    ...ofBackups(context, status),
    ...ofKeys(context, status),
    ...ofQueues(context, status),
    ...ofStreams(context, status),
    ...(await Promise.all([ofOperators(context), undeliveredMails(context)])).flat(),
  ];
}

function ofDatabase({ locale }: ConsoleContext, { database_workers }: Status): Notice[] {
  const text = attentionText[locale];
  return database_workers
    .filter(({ reachable }) => !reachable)
    .map(({ address, applications }) => ({
      kind: 'bad',
      title: text.workerLost(address),
      detail: text.workerLostDetail(applications.toLocaleString(locale)),
      act: { label: text.look, path: `${STATUS}#workers` },
    }));
}

function ofNodes({ locale }: ConsoleContext, { nodes }: Status): Notice[] {
  const text = attentionText[locale];
  const act = { label: text.look, path: `${STATUS}#nodes` };
  const gone = nodes
    .filter(({ live }) => !live)
    .map((node): Notice => {
      const seen = timeText(locale, new Date(node.seen_at));
      return { kind: 'bad', title: text.notSeen(nodeName(node), seen), detail: text.notSeenDetail, act };
    });
  const versions = [...new Set(nodes.filter(({ live }) => live).map(({ version }) => version))].sort();
  if (versions.length < 2) return gone;
  return [...gone, { kind: 'plain', title: text.versions(versions.join(', ')), detail: text.versionsDetail, act }];
}

/** A receiver that is restarted is back before. */
const STREAM_FAILING_SECONDS = 300;
const LONG_STREAM = 1000;

function ofStreams({ locale, services }: ConsoleContext, { event_streams }: Status): Notice[] {
  const text = attentionText[locale];
  const isLong = (since: string | undefined) =>
    since !== undefined && Date.parse(since) / 1000 + STREAM_FAILING_SECONDS < services.clock.now();
  return event_streams
    .filter(({ waiting, failing_since }) => waiting >= LONG_STREAM || isLong(failing_since))
    .map(({ target, waiting, reason = '' }) => ({
      kind: 'bad',
      title: text.streamBehind(target, countText(locale, waiting)),
      detail: reason,
      act: { label: text.look, path: '/console/settings' },
    }));
}

/** A password of the database that everybody tries first. */
const COMMON_PASSWORDS = ['password', 'postgres', 'gatehouse', 'secret', 'changeme'];

function ofSecrets({ locale, services }: ConsoleContext): Notice[] {
  const { secrets = [], metrics, database, baseUrl } = services.config;
  const text = attentionText[locale];
  const password = database.kind === 'postgres' ? URL.parse(database.url)?.password : undefined;
  const names: (keyof typeof text.defaultSettingDetail | false)[] = [
    secrets.some(isPlaceholder) && 'GATEHOUSE_SECRET',
    metrics?.token !== undefined && isPlaceholder(metrics.token) && 'GATEHOUSE_METRICS_TOKEN',
    !isLoopback(baseUrl) && password !== undefined && COMMON_PASSWORDS.includes(password) && 'DATABASE_URL',
  ];
  return names
    .filter(name => name !== false)
    .map(name => ({
      kind: 'bad',
      title: text.defaultSetting(name),
      detail: text.defaultSettingDetail[name],
      act: { label: text.look, path: '/console/settings' },
    }));
}

function ofMail({ locale, services }: ConsoleContext): Notice[] {
  const { mail, baseUrl } = services.config;
  const text = attentionText[locale];
  const act = { label: text.setUpMail, path: '/console/mail' };
  if (!mail) return [{ kind: 'bad', title: text.noMail, detail: text.noMailDetail, act, isFirstStep: true }];
  if (mail.destination.kind === 'smtp' || isLoopback(baseUrl)) return [];
  return [{ kind: 'bad', title: text.mailIntoFolder, detail: text.noMailDetail, act, isFirstStep: true }];
}

const DAY_SECONDS = 86_400;
const MAX_BACKUP_AGE_DAYS = 7;

function ofBackups({ locale, services }: ConsoleContext, { last_backup: last }: Status): Notice[] {
  const text = attentionText[locale];
  const act = { label: text.aboutBackups, path: `${STATUS}#backups` };
  if (!last) return [{ kind: 'bad', title: text.noBackup, detail: text.noBackupDetail, act, isFirstStep: true }];
  const days = Math.floor((services.clock.now() - Date.parse(last.at) / 1000) / DAY_SECONDS);
  if (last.kind === 'elsewhere' || days <= MAX_BACKUP_AGE_DAYS) return [];
  return [{ kind: 'bad', title: text.oldBackup(days), detail: text.oldBackupDetail, act }];
}

/** A key is rotated within the hour in which it is due. */
const OVERDUE_SECONDS = 2 * 3600;

function ofKeys({ locale, services }: ConsoleContext, { keys_due }: Status): Notice[] {
  const text = attentionText[locale];
  return keys_due
    .filter(({ due_at }) => Date.parse(due_at) / 1000 + OVERDUE_SECONDS < services.clock.now())
    .map(({ application, alg, due_at }) => ({
      kind: 'bad',
      title: text.keyDue(application, alg, timeText(locale, new Date(due_at))),
      detail: text.keyDueDetail,
      act: { label: text.rotate, path: keysPath(application) },
    }));
}

const LONG_QUEUE = 1000;

function ofQueues({ locale }: ConsoleContext, { queues }: Status): Notice[] {
  const text = attentionText[locale];
  return (Object.keys(queues) as QueueName[])
    .filter(name => queues[name] >= LONG_QUEUE)
    .map(name => ({
      kind: 'bad',
      title: text.waiting(queueName(locale, name), countText(locale, queues[name])),
      act: { label: text.look, path: QUEUE_PAGES[name] },
    }));
}

/** In the form of the overview. */
export const REQUIRE_FACTORS = 'require-factors';
/** Whom one press of the button concerns. */
export const MAX_OPERATORS = 20;
const NAMED = 3;

/** Where every operator must have a second factor, those who have none set one up before they see anything. */
async function ofOperators({ locale, services, may, can }: ConsoleContext): Promise<Notice[]> {
  if (services.config.operatorMfa === 'required') return [];
  const found = await services.store.operatorsWithSingleFactor(MAX_OPERATORS);
  if (found.length === 0) return [];
  const text = attentionText[locale];
  const names = found.map(({ username }) => username);
  const title = text.singleFactor(names.length < MAX_OPERATORS ? String(names.length) : `${MAX_OPERATORS}+`);
  const detail = text.singleFactorDetail(names.slice(0, NAMED), names.length > NAMED);
  const act =
    may('owner') && can(updateUser)
      ? { label: text.requireIt, action: REQUIRE_FACTORS }
      : { label: text.look, path: '/console/operators' };
  return [{ kind: 'bad', title, detail, act, isFirstStep: true }];
}

const MAX_MAILS_COUNTED = 100;

async function undeliveredMails({ perform, locale, services }: ConsoleContext): Promise<Notice[]> {
  const from = new Date((services.clock.now() - DAY_SECONDS) * 1000).toISOString();
  const query = { type: 'mail.undelivered', from, limit: String(MAX_MAILS_COUNTED) };
  const found = await perform<{ items: unknown[] }>(listEvents, { params: {}, query });
  if (found.kind !== 'done' || found.value.items.length === 0) return [];
  const text = attentionText[locale];
  const count = found.value.items.length;
  const title = text.undelivered(count < MAX_MAILS_COUNTED ? String(count) : `${count}+`);
  const act = { label: text.look, path: '/console/activity?type=mail.undelivered' };
  return [{ kind: 'bad', title, detail: text.undeliveredDetail, act }];
}
