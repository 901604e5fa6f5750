import { currentSession } from '../accounts/sessions.ts';
import { requestEvent, userActor } from '../events/request-event.ts';
import { sessionEndedEvent } from '../events/session-ended.ts';
import { type Answer, header, type Request, redirect } from '../message.ts';
import { chooseLocale } from '../pages/locale.ts';
import { refuseForeignForm } from '../pages/own-form.ts';
import { scopesOfClaims } from '../protocol/claims-request.ts';
import { failure } from '../protocol/errors.ts';
import { parseParams } from '../protocol/params.ts';
import { everyScope, type Scope } from '../protocol/scope.ts';
import type { Page, Services } from '../services.ts';
import { sessionForPage } from '../sign-in/progress.ts';
import type { LiveSession } from '../store/sessions.ts';
import { accountPage } from './account-page.ts';
import { passkeyOffer } from './passkey-offer.ts';

/** /account: the user's sessions and the clients that have access to the account; the user can end each of them. */
export const showAccount: Page = async (services, request) => {
  const session = sessionForPage(services, request, await currentSession(services, request));
  return 'status' in session ? session : render(services, request, session);
};

export const submitAccount: Page = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const session = await currentSession(services, request);
  if (!session) return { failure: failure('signInNeeded'), facts: { form: { kind: 'sessionEnded' } } };
  await change(services, request, session.user.sub);
  return redirect(`${services.config.baseUrl}/account`, 303);
};

/** A form that names a session or client of another user changes nothing. */
async function change(services: Services, request: Request, sub: string): Promise<void> {
  const { store, clock } = services;
  const { receivedAt } = request;
  const form = parseParams(request.body);
  const sid = form.get('end_session');
  const ended = sessionEndedEvent(services, request, { reason: 'user' });
  if (sid !== undefined) await store.endSession({ sub, sid }, clock.now(), ended, receivedAt);
  const app = form.get('app');
  const clientId = form.get('withdraw');
  if (app === undefined || clientId === undefined) return;
  const who = { outcome: 'success', actor: userActor(sub), subject: sub } as const;
  const event = requestEvent(services, request, { type: 'consent.withdrawn', ...who, app, clientId });
  await store.withdrawConsent(sub, app, clientId, clock.now(), event, receivedAt);
}

interface Access {
  readonly app: string;
  readonly clientId: string;
  readonly scope: readonly Scope[];
}

/** The clients that have access, with a remembered consent or without: each client once, with all that it may see. */
async function accessOf({ store, clock }: Services, { receivedAt }: Request, sub: string): Promise<Access[]> {
  const grants = await store.grantsOf(sub, clock.now(), receivedAt);
  const all: Access[] = [
    ...(await store.consentsOf(sub, receivedAt)),
    ...grants.map(grant => ({ ...grant, scope: [...grant.scope, ...scopesOfClaims(grant.claims)] })),
  ];
  const clients = new Map<string, Access>();
  for (const { app, clientId, scope } of all) {
    const key = `${app} ${clientId}`;
    const merged = new Set([...(clients.get(key)?.scope ?? []), ...scope]);
    clients.set(key, { app, clientId, scope: everyScope.filter(each => merged.has(each)) });
  }
  return [...clients.values()];
}

async function render(services: Services, request: Request, session: LiveSession): Promise<Answer> {
  const { store, registry, clock } = services;
  const { receivedAt } = request;
  const access = await accessOf(services, request, session.user.sub);
  const grants = await Promise.all(
    access.map(async ({ app, clientId, scope }) => ({
      app,
      clientId,
      scope,
      applicationName: (await registry.application(app, receivedAt))?.name ?? app,
      clientName: (await registry.client(app, clientId, receivedAt))?.client_name ?? clientId,
    })),
  );
  const locale = chooseLocale(undefined, header(request, 'accept-language'));
  return accountPage({
    locale,
    offer: passkeyOffer(services, request, session, locale),
    user: session.user,
    presentSid: session.sid,
    sessions: await store.sessionsOf(session.user.sub, clock.now(), receivedAt),
    grants,
  });
}
