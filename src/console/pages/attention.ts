import { RESTORABLE_SECONDS } from '../../protocol/client.ts';
import type { ConsoleContext } from '../page.ts';
import type { PillKind } from '../parts.ts';
import { inLocale } from '../text.ts';

/** What an operator should look at first, each with the page that settles it. */
export interface Notice {
  readonly kind: PillKind;
  readonly mark: string;
  readonly sentence: string;
  readonly path: string;
}

const DAY_SECONDS = 86_400;

const words = inLocale({
  en: {
    application: 'start',
    noApplication: 'No application is registered yet.',
    deleted: 'deleted',
    removal: (name: string, days: number) => `${name} was deleted; its data is removed in ${days} days.`,
    webhook: 'webhook',
    paused: (url: string) => `Deliveries to ${url} are paused.`,
  },
  zh: {
    application: '开始',
    noApplication: '还没有登记应用。',
    deleted: '已删除',
    removal: (name: string, days: number) => `${name} 已删除，数据将在 ${days} 天后清除。`,
    webhook: 'webhook',
    paused: (url: string) => `向 ${url} 的投递已暂停。`,
  },
});

export async function attentionTo(context: ConsoleContext): Promise<Notice[]> {
  return (await Promise.all([applications(context), deletions(context), webhooks(context)])).flat();
}

async function applications({ perform, locale, may }: ConsoleContext): Promise<Notice[]> {
  const found = await perform<{ items: { code: string }[] }>('listApplications', { params: {}, query: { limit: '2' } });
  const isEmpty = found.kind === 'done' && found.value.items.every(({ code }) => code === 'gatehouse');
  if (!isEmpty || !may('operator')) return [];
  const { application: mark, noApplication: sentence } = words(locale);
  return [{ kind: 'plain', mark, sentence, path: '/console/applications/new' }];
}

interface Deleted {
  readonly code: string;
  readonly name: string;
  readonly deleted_at: string;
}

async function deletions({ perform, locale, services }: ConsoleContext): Promise<Notice[]> {
  const query = { deleted: 'true', limit: '5' };
  const found = await perform<{ items: Deleted[] }>('listApplications', { params: {}, query });
  if (found.kind !== 'done') return [];
  const text = words(locale);
  return found.value.items.map(({ name, deleted_at }) => {
    const end = Date.parse(deleted_at) / 1000 + RESTORABLE_SECONDS;
    const days = Math.max(0, Math.ceil((end - services.clock.now()) / DAY_SECONDS));
    return { kind: 'plain', mark: text.deleted, sentence: text.removal(name, days), path: '/console/applications' };
  });
}

async function webhooks({ perform, locale }: ConsoleContext): Promise<Notice[]> {
  const found = await perform<{ items: { id: string; url: string; state: string }[] }>('listWebhooks', {
    params: {},
    query: { limit: '200' },
  });
  if (found.kind !== 'done') return [];
  const text = words(locale);
  return found.value.items
    .filter(({ state }) => state === 'paused')
    .map(({ id, url }) => ({
      kind: 'bad',
      mark: text.webhook,
      sentence: text.paused(new URL(url).origin),
      path: `/console/webhooks/${encodeURIComponent(id)}`,
    }));
}
