import type { Act } from '../../audit/acts/store.ts';
import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import type { Event } from '../../audit/events/rules.ts';
import type { Profile } from '../../directory/users/claims.rules.ts';
import type { EventType } from '../../events.ts';
import { noticeTo } from '../../notify/mail/notices.ts';
import { type Answer, header, type Reply, type Request, redirect, withCookies } from '../../platform/http/message.ts';
import { chooseLocale, type Locale } from '../../platform/ui/locale.rules.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { refuseMailsOfUser } from '../email/request-confirmation.ts';
import { disconnect, linksPartOf } from '../linking/section.ts';
import { relyingPartyOf } from '../passkey/rules.ts';
import { hashRecoveryCode, newRecoveryCodes } from '../recovery-codes/codes.ts';
import { currentSession } from '../sessions/sessions.ts';
import type { LiveSession } from '../sessions/store.ts';
import { RECENT_SECONDS } from '../sign-in/demands.rules.ts';
import { sessionForPage } from '../sign-in/progress.ts';
import { recoveryCodesPage } from '../totp/enrol.html.ts';
import { distrustBrowser } from '../trusted-browsers/page.ts';
import { type SecurityRefusal, securityPage } from './html.ts';

/** /account/security: how the user signs in: the password and the factors. */
const PATH = '/account/security';

export const showSecurity: Handler = async (services, request) => {
  const session = await freshSession(services, request, PATH);
  if ('status' in session) return session;
  return render(services, request, session.user.sub);
};

async function render(services: Services, request: Request, sub: string, refused?: SecurityRefusal): Promise<Reply> {
  const { store, clock, config } = services;
  const locale = localeOf(request);
  const links = await linksPartOf(services, request, locale, sub);
  const held = await store.secondFactorsOf(sub);
  const factors = await store.userFactors(sub);
  const password = factors.find(({ kind }) => kind === 'password');
  const page = securityPage({
    locale,
    held,
    passwordSetAt: password?.createdAt,
    trusted: await store.trustedBrowsersOf(sub, clock.now()),
    takesPasskeys: relyingPartyOf(config.baseUrl) !== undefined,
    links: links?.view,
    formTargets: links?.formTargets,
    linkFault: links?.fault,
    refused,
  });
  return links ? withCookies(page, links.cookies) : page;
}

export const submitSecurity: Handler = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const session = await freshSession(services, request, PATH);
  if ('status' in session) return session;
  const form = request.form;
  const action = form.get('action');
  if (action === 'remove_totp') return removeTotp(services, request, session.user);
  if (action === 'distrust_browser') {
    await distrustBrowser(services, request, session.user.sub, form.get('browser') ?? '');
  }
  if (action === 'disconnect') {
    const { user } = session;
    const outcome = await disconnect(services, request, localeOf(request), user, form.get('link') ?? '');
    if (outcome === 'lastWay') return render(services, request, user.sub, 'lastWay');
  }
  if (action === 'new_recovery_codes') return replaceCodes(services, request, session.user);
  return toSecurity(services);
};

/** The session, or the way to the sign-in page that asks for what is missing and comes back. */
export async function freshSession(services: Services, request: Request, path: string): Promise<LiveSession | Reply> {
  return proveAgain(services, request, await currentSession(services, request), path);
}

/** The same of a session that is known. */
export function proveAgain(
  services: Services,
  request: Request,
  session: LiveSession | undefined,
  path: string,
): LiveSession | Reply {
  return sessionForPage(services, request, session, { path, maxAge: RECENT_SECONDS, isSensitive: true });
}

export function toSecurity({ config }: Services, cookies: string[] = [], below: '' | '/passkeys' = ''): Reply {
  return redirect(`${config.baseUrl}${PATH}${below}`, 303, cookies);
}

export function localeOf(request: Request): Locale {
  return chooseLocale(undefined, header(request, 'accept-language'));
}

function factorEvent(
  services: Services,
  request: Request,
  sub: string,
  type: Extract<EventType, `factor.${string}`>,
  factor: 'totp' | 'recovery' | 'passkey',
  /** Of a passkey. */
  id?: string,
): Event {
  const who = { outcome: 'success', actor: userActor(sub), subject: sub } as const;
  return requestEvent(services, request, { type, ...who, details: id === undefined ? { factor } : { factor, id } });
}

/** The event, and the mail that tells the user. */
export function factorAct(
  services: Services,
  request: Request,
  user: Profile,
  type: 'factor.added' | 'factor.removed',
  factor: 'totp' | 'recovery' | 'passkey',
  /** Of a passkey. */
  id?: string,
): Act {
  const kind = type === 'factor.added' ? 'factorAdded' : 'factorRemoved';
  const mail = noticeTo(services, user, { kind, factor }, localeOf(request));
  return { event: factorEvent(services, request, user.sub, type, factor, id), mail };
}

/** The last factor stays where an application that the user uses, or an operator, requires one. */
async function removeTotp(services: Services, request: Request, user: Profile): Promise<Answer> {
  const act = factorAct(services, request, user, 'factor.removed', 'totp');
  const outcome = await services.store.removeTotp(user.sub, services.clock.now(), act);
  return outcome === 'required' ? render(services, request, user.sub, 'lastFactor') : toSecurity(services);
}

async function replaceCodes(services: Services, request: Request, user: Profile): Promise<Answer> {
  const { sub } = user;
  const flood = await refuseMailsOfUser(services, sub);
  if (flood) return flood;
  const codes = newRecoveryCodes(services.random);
  const hashes = codes.map(code => hashRecoveryCode(sub, code));
  const act = factorAct(services, request, user, 'factor.added', 'recovery');
  const now = services.clock.now();
  const replaced = await services.store.replaceRecoveryCodes(sub, hashes, now, act);
  const document = { locale: localeOf(request) };
  return replaced ? recoveryCodesPage({ document, codes, next: PATH }) : toSecurity(services);
}
