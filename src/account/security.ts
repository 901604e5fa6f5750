import { hashRecoveryCode, newRecoveryCodes } from '../accounts/recovery-codes.ts';
import { currentSession } from '../accounts/sessions.ts';
import { requestEvent, userActor } from '../events/request-event.ts';
import { noticeTo } from '../mail/notices.ts';
import { type Answer, header, type Reply, type Request, redirect } from '../message.ts';
import { chooseLocale, type Locale } from '../pages/locale.ts';
import { refuseForeignForm } from '../pages/own-form.ts';
import type { Profile } from '../protocol/claims.ts';
import type { Event, EventType } from '../protocol/event.ts';
import { parseParams } from '../protocol/params.ts';
import type { Page, Services } from '../services.ts';
import { sessionForPage } from '../sign-in/progress.ts';
import type { Act } from '../store/idempotent-answers.ts';
import type { LiveSession } from '../store/sessions.ts';
import { recoveryCodesPage, securityPage } from './security-pages.ts';
import { distrustBrowser } from './trusted-browsers.ts';

/** /account/security: how the user signs in: the password and the factors. */
const PATH = '/account/security';

/** The age of the authentication, with the strongest factor that the user has, for everything about factors. */
const FRESH_SECONDS = 300;

export const showSecurity: Page = async (services, request) => {
  const session = await freshSession(services, request, PATH);
  if ('status' in session) return session;
  const { store, clock } = services;
  const { sub } = session.user;
  const held = await store.secondFactorsOf(sub, request.receivedAt);
  const factors = await store.userFactors(sub, request.receivedAt);
  const trusted = await store.trustedBrowsersOf(sub, clock.now(), request.receivedAt);
  const password = factors.find(({ kind }) => kind === 'password');
  return securityPage({ locale: localeOf(request), held, passwordSetAt: password?.createdAt, trusted });
};

export const submitSecurity: Page = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const session = await freshSession(services, request, PATH);
  if ('status' in session) return session;
  const form = parseParams(request.body);
  const action = form.get('action');
  if (action === 'remove_totp') await removeTotp(services, request, session.user);
  if (action === 'distrust_browser') {
    await distrustBrowser(services, request, session.user.sub, form.get('browser') ?? '');
  }
  if (action === 'new_recovery_codes') return replaceCodes(services, request, session.user);
  return toSecurity(services);
};

/** The session, or the way to the sign-in page that asks for what is missing and comes back. */
export async function freshSession(services: Services, request: Request, path: string): Promise<LiveSession | Reply> {
  const page = { path, maxAge: FRESH_SECONDS };
  return sessionForPage(services, request, await currentSession(services, request), page);
}

export function toSecurity({ config }: Services, cookies: string[] = []): Reply {
  return redirect(`${config.baseUrl}${PATH}`, 303, cookies);
}

export function localeOf(request: Request): Locale {
  return chooseLocale(undefined, header(request, 'accept-language'));
}

export function factorEvent(
  services: Services,
  request: Request,
  sub: string,
  type: Extract<EventType, `factor.${string}`>,
  factor: 'totp' | 'recovery',
): Event {
  const who = { outcome: 'success', actor: userActor(sub), subject: sub } as const;
  return requestEvent(services, request, { type, ...who, details: { factor } });
}

/** The event, and the mail that tells the user. */
export function factorAct(
  services: Services,
  request: Request,
  user: Profile,
  type: 'factor.added' | 'factor.removed',
  factor: 'totp' | 'recovery',
): Act {
  const kind = type === 'factor.added' ? 'factorAdded' : 'factorRemoved';
  const mail = noticeTo(services, user, { kind, factor }, localeOf(request));
  return { event: factorEvent(services, request, user.sub, type, factor), mail };
}

async function removeTotp(services: Services, request: Request, user: Profile): Promise<void> {
  const act = factorAct(services, request, user, 'factor.removed', 'totp');
  await services.store.removeTotp(user.sub, services.clock.now(), act, request.receivedAt);
}

async function replaceCodes(services: Services, request: Request, user: Profile): Promise<Answer> {
  const { sub } = user;
  const codes = newRecoveryCodes(services.random);
  const hashes = codes.map(code => hashRecoveryCode(sub, code));
  const act = factorAct(services, request, user, 'factor.added', 'recovery');
  const now = services.clock.now();
  const replaced = await services.store.replaceRecoveryCodes(sub, hashes, now, act, request.receivedAt);
  return replaced ? recoveryCodesPage({ locale: localeOf(request), codes }) : toSecurity(services);
}
