import { EVERYBODY } from '../../directory/access/rules.ts';
import { deleteApplication, listApplications } from '../../directory/applications/operations.ts';
import { RESTORABLE_SECONDS } from '../../directory/applications/rules.ts';
import { providerPath } from '../../directory/providers/frame.console.ts';
import { providerName } from '../../directory/providers/rules.ts';
import { listProviderStates, type ProviderStateView } from '../../directory/providers/state.operations.ts';
import { deleteUser } from '../../directory/users/operations.ts';
import { listWebhooks } from '../../notify/webhooks/operations.ts';
import { adviceOn } from '../../people/federation/advice.rules.ts';
import { BoundedCache } from '../../platform/bounded-cache.ts';
import { isLoopback } from '../../platform/config/config.ts';
import type { ConsoleContext } from '../console-frame/page.ts';
import { DEMO } from '../demo/demo.ts';
import { attentionText } from './attention.console.text.ts';
import { applicationsForGroups, clientsWithSecret, doubtfulClients, groupsWithMembers } from './attention.queries.ts';
import { DOCUMENTED_SECRETS, type Unusable, unusableReason } from './clients.rules.ts';
import type { Notice } from './notice.console.ts';
import type { CheckedClient } from './store.ts';

/** Of applications, clients, identity providers and webhooks: an operator who is limited to applications sees those of these. */
export async function directoryNotices(context: ConsoleContext): Promise<Notice[]> {
  return (
    await Promise.all([demo(context), clients(context), providers(context), webhooks(context), deletions(context)])
  ).flat();
}

/** The application and the user of the demo: either may be there without the other, and others may have their names. */
async function demo({ services, locale, can }: ConsoleContext): Promise<Notice[]> {
  const { config, registry, store } = services;
  if (isLoopback(config.baseUrl)) return [];
  const text = attentionText[locale];
  const application = can(deleteApplication) ? await registry.application(DEMO.app) : undefined;
  const client = application && (await registry.client(DEMO.app, DEMO.clientId));
  if (client?.redirect_uris.some(uri => uri.endsWith(DEMO.callbackPath))) {
    const act = { label: text.deleteDemo, path: `/console/applications/${DEMO.app}` };
    return [{ kind: 'bad', title: text.demoIsPublic, detail: text.demoIsPublicDetail, act }];
  }
  const user = can(deleteUser) ? await store.findAccount(DEMO.username) : undefined;
  if (user?.email !== DEMO.email) return [];
  const act = { label: text.deleteDemo, path: `/console/users/${user.sub}` };
  return [{ kind: 'bad', title: text.demoUserIsPublic, detail: text.demoUserIsPublicDetail, act }];
}

/** Found by one statement among all clients. */
const MAX_CLIENTS = 200;
/** A secret is compared client by client. */
const MAX_SECRETS_CHECKED = 2000;
/** Of each kind, and then how many more there are. */
const MAX_SHOWN = 3;

async function clients(context: ConsoleContext): Promise<Notice[]> {
  const { services, locale, operator } = context;
  const text = attentionText[locale];
  const { cold } = services.store;
  const withSecret = await clientsWithSecret(cold, operator.applications, MAX_SECRETS_CHECKED);
  const withDefault = withSecret
    .filter(each => hasDocumentedSecret(services.ring, each))
    .map(
      (each): Notice => ({
        kind: 'bad',
        title: text.defaultSecret(nameOf(each)),
        detail: text.defaultSecretDetail,
        act: { label: text.newSecret, path: `${pathOf(each)}/secrets` },
      }),
    );
  const unusable: Notice[] = [];
  for (const each of await doubtfulClients(cold, operator.applications, MAX_CLIENTS)) {
    const access = (await services.registry.application(each.app))?.access;
    const reason = unusableReason(each.client, access);
    if (reason) unusable.push(unusableNotice(each, reason, text));
  }
  return [
    ...firstOf(withDefault, text.moreClients),
    ...firstOf(unusable, text.moreClients),
    ...firstOf(await emptyGroups(context), text.moreGroups),
  ];
}

const MAX_APPLICATIONS = 200;
/** Where there are more users, nothing is said of groups: reading all of them would take seconds. */
const MAX_USERS_READ = 10_000;

/** A group that an application admits, and in which nobody is: most often a name that was mistyped. */
async function emptyGroups({ services, locale, operator }: ConsoleContext): Promise<Notice[]> {
  const { cold } = services.store;
  const codes = await applicationsForGroups(cold, operator.applications, MAX_APPLICATIONS);
  const inUse = codes.length === 0 ? undefined : await groupsWithMembers(cold, MAX_USERS_READ);
  if (!inUse) return [];
  const text = attentionText[locale];
  const notices: Notice[] = [];
  for (const code of codes) {
    const { access = EVERYBODY, name = code } = (await services.registry.application(code)) ?? {};
    const empty = access === EVERYBODY ? [] : access.groups.filter(group => !inUse.has(group));
    const act = { label: text.editAccess, path: `/console/applications/${code}/sign-in` };
    for (const group of empty) {
      notices.push({ kind: 'plain', title: text.emptyGroup(group), detail: text.emptyGroupDetail(name), act });
    }
  }
  return notices;
}

/** By the hash, which is another one for each client: an overview that is opened again compares nothing. */
const verdicts = new BoundedCache<string, boolean>(2 * MAX_SECRETS_CHECKED);

function hasDocumentedSecret(
  { verifyClientSecret }: ConsoleContext['services']['ring'],
  { app, client: { client_id, secret_hash } }: CheckedClient,
): boolean {
  if (secret_hash === undefined) return false;
  const known = verdicts.get(secret_hash);
  if (known !== undefined) return known;
  const verdict = DOCUMENTED_SECRETS.some(each => verifyClientSecret(app, client_id, each, secret_hash));
  verdicts.set(secret_hash, verdict);
  return verdict;
}

type Text = (typeof attentionText)['en'];

function unusableNotice(checked: CheckedClient, reason: Unusable, text: Text): Notice {
  const isOfApplication = reason === 'nobodyAdmitted';
  const path = isOfApplication
    ? `/console/applications/${checked.app}/sign-in`
    : `${pathOf(checked)}/${reason === 'noGrant' ? 'permissions' : 'settings'}`;
  const label = isOfApplication ? text.editAccess : text.editClient;
  return {
    kind: 'plain',
    title: text.unusable(nameOf(checked)),
    detail: text.unusableDetail[reason],
    act: { label, path },
  };
}

function nameOf({ app, client: { client_id, client_name } }: CheckedClient): string {
  return `${client_name} (${app}/${client_id})`;
}

function pathOf({ app, client: { client_id } }: CheckedClient): string {
  return `/console/applications/${encodeURIComponent(app)}/clients/${encodeURIComponent(client_id)}`;
}

function firstOf(notices: readonly Notice[], more: (count: number) => string): Notice[] {
  const shown = notices.slice(0, MAX_SHOWN);
  const last = shown.at(-1);
  const rest = notices.length - shown.length;
  if (!last || rest === 0) return shown;
  return [...shown.slice(0, -1), { ...last, detail: `${last.detail} ${more(rest)}` }];
}

interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly state: string;
  readonly failing_since?: string;
}

async function webhooks({ perform, locale }: ConsoleContext): Promise<Notice[]> {
  const found = await perform<{ items: WebhookRow[] }>(listWebhooks, { params: {}, query: { limit: '200' } });
  if (found.kind !== 'done') return [];
  const text = attentionText[locale];
  return found.value.items
    .filter(({ state, failing_since }) => state === 'paused' || failing_since !== undefined)
    .map(({ id, url, state }) => {
      const { origin } = new URL(url);
      const isPaused = state === 'paused';
      return {
        kind: 'bad',
        title: isPaused ? text.paused(origin) : text.failing(origin),
        detail: isPaused ? text.pausedDetail : text.failingDetail,
        act: { label: text.deliveries, path: `/console/webhooks/${encodeURIComponent(id)}` },
      };
    });
}

/** One answer that did not hold may be somebody's who changed it. */
const MIN_FAILURES = 3;

/** Those that an application offers. */
async function providers({ perform, services, locale }: ConsoleContext): Promise<Notice[]> {
  const registered = await services.registry.providers();
  if (registered.length === 0) return [];
  const found = await perform<{ items: readonly ProviderStateView[] }>(listProviderStates, { params: {}, query: {} });
  if (found.kind !== 'done') return [];
  const text = attentionText[locale];
  const failing = found.value.items.filter(
    ({ failures = 0, applications }) => failures >= MIN_FAILURES && applications.length > 0,
  );
  return failing.map(({ id, reason = '', detail = '' }) => {
    const provider = registered.find(each => each.id === id);
    return {
      kind: 'bad',
      title: text.providerFails(provider ? providerName(provider) : id),
      detail: adviceOn({ kind: reason, reason: detail }).fix[locale],
      act: { label: text.tryProvider, path: providerPath(id, 'try') },
    };
  });
}

interface Deleted {
  readonly code: string;
  readonly name: string;
  readonly deleted_at: string;
}

const DAY_SECONDS = 86_400;

async function deletions({ perform, locale, services }: ConsoleContext): Promise<Notice[]> {
  const query = { deleted: 'true', limit: '5' };
  const found = await perform<{ items: Deleted[] }>(listApplications, { params: {}, query });
  if (found.kind !== 'done') return [];
  const text = attentionText[locale];
  return found.value.items.map(({ name, deleted_at }) => {
    const end = Date.parse(deleted_at) / 1000 + RESTORABLE_SECONDS;
    const days = Math.max(0, Math.ceil((end - services.clock.now()) / DAY_SECONDS));
    const act = { label: text.restore, path: '/console/applications#deleted' };
    return { kind: 'plain', title: text.removal(name, days), act };
  });
}
