import { hashRecoveryCode, newRecoveryCodes } from '../accounts/recovery-codes.ts';
import { currentSession } from '../accounts/sessions.ts';
import { requestEvent, userActor } from '../events/request-event.ts';
import { type Answer, header, type Reply, type Request, redirect } from '../message.ts';
import { recoveryCodesPage } from '../pages/enrol-totp-pages.ts';
import { chooseLocale, type Locale } from '../pages/locale.ts';
import { refuseForeignForm } from '../pages/own-form.ts';
import type { Event, EventType } from '../protocol/event.ts';
import { parseParams } from '../protocol/params.ts';
import type { Page, Services } from '../services.ts';
import { RECENT_SECONDS } from '../sign-in/demands.ts';
import { sessionForPage } from '../sign-in/progress.ts';
import type { LiveSession } from '../store/sessions.ts';
import { securityPage } from './security-pages.ts';

/** /account/security: the second factors of the user. */
const PATH = '/account/security';

export const showSecurity: Page = async (services, request) => {
  const session = await freshSession(services, request, PATH);
  if ('status' in session) return session;
  const held = await services.store.secondFactorsOf(session.user.sub, request.receivedAt);
  return securityPage({ locale: localeOf(request), held });
};

export const submitSecurity: Page = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const session = await freshSession(services, request, PATH);
  if ('status' in session) return session;
  const action = parseParams(request.body).get('action');
  if (action === 'remove_totp') return removeTotp(services, request, session.user.sub);
  if (action === 'new_recovery_codes') return replaceCodes(services, request, session.user.sub);
  return toSecurity(services);
};

/** The session, or the way to the sign-in page that asks for what is missing and comes back. */
export async function freshSession(services: Services, request: Request, path: string): Promise<LiveSession | Reply> {
  const page = { path, maxAge: RECENT_SECONDS };
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

/** The last factor stays where an application that the user uses, or an operator, requires one. */
async function removeTotp(services: Services, request: Request, sub: string): Promise<Answer> {
  const { store, clock } = services;
  const event = factorEvent(services, request, sub, 'factor.removed', 'totp');
  const outcome = await store.removeTotp(sub, clock.now(), event, request.receivedAt);
  if (outcome !== 'required') return toSecurity(services);
  const held = await store.secondFactorsOf(sub, request.receivedAt);
  return securityPage({ locale: localeOf(request), held, isRequired: true });
}

async function replaceCodes(services: Services, request: Request, sub: string): Promise<Answer> {
  const codes = newRecoveryCodes(services.random);
  const hashes = codes.map(code => hashRecoveryCode(sub, code));
  const event = factorEvent(services, request, sub, 'factor.added', 'recovery');
  const now = services.clock.now();
  const replaced = await services.store.replaceRecoveryCodes(sub, hashes, now, event, request.receivedAt);
  const document = { locale: localeOf(request) };
  return replaced ? recoveryCodesPage({ document, codes, next: PATH }) : toSecurity(services);
}
