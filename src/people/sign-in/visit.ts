import type { PendingFault } from '../../audit/refusals/facts.rules.ts';
import type { Application } from '../../directory/applications/rules.ts';
import { findClient } from '../../directory/client-id-metadata/find-client.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { failure } from '../../failures.ts';
import { type Answer, header, type Refusal, type Request } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Brand, brandOf } from '../../platform/ui/brand.ts';
import { chooseLocale, type Locale } from '../../platform/ui/locale.rules.ts';
import type { Services } from '../../services.ts';
import { currentSession } from '../sessions/sessions.ts';
import type { LiveSession } from '../sessions/store.ts';
import { trustedFor } from '../trusted-browsers/trusted-browser.ts';
import { type Demands, demandsOf } from './demands.rules.ts';
import { type NextStep, nextStep } from './next-step.rules.ts';
import { demandsOfPage, openSignIn, type PendingAuthorization, type SignIn } from './progress.ts';
import type { SignInStep } from './step.rules.ts';
import { skipsSecondFactorIfTrusted } from './strength.rules.ts';
import { signInText } from './text.ts';

/** A browser on a page of a sign-in, and all that the page works with. */
export interface Visit {
  readonly services: Services;
  readonly request: Request;
  readonly signIn: SignIn;
  readonly locale: Locale;
  readonly demands: Demands;
  /** Undefined where the user signs in for a page of this server. */
  readonly target: Target | undefined;
}

/** The request that the user signs in for. */
export interface Target extends PendingAuthorization {
  readonly application: Application;
  readonly client: Client;
}

export function expired(pending: PendingFault, visit?: Pick<Visit, 'target'>): Refusal {
  return { failure: failure('pendingRequestExpired'), facts: { pending }, ...(visit ? namesOf(visit) : {}) };
}

export async function openVisit(
  services: Services,
  request: Request,
  sealed: string | undefined,
): Promise<Visit | Refusal> {
  const signIn = openSignIn(services, request, sealed);
  if (!signIn) return expired(services.pending.faultOf(request, sealed, 'sign-in'));
  const { authorization, ownPage } = signIn.progress;
  const target = authorization && (await findTarget(services, request, authorization));
  if (target && 'failure' in target) return target;
  if ((await hasLostPasskey(services, signIn)) || (await hasLostLink(services, signIn)))
    return expired({ kind: 'changed' }, { target });
  return {
    services,
    request,
    signIn,
    locale: chooseLocale(authorization?.request.uiLocales, header(request, 'accept-language')),
    demands: target ? demandsOfTarget(services, target) : demandsOfPage(ownPage),
    target,
  };
}

/** A device or backchannel request is approved on a page of its own, which asks for the consent too. */
function demandsOfTarget({ config }: Services, target: Target): Demands {
  const { request, client, requiredSub, application, device, approval } = target;
  const demands = demandsOf(request, client, requiredSub, application, config.operatorMfa);
  return device || approval ? { ...demands, consentTo: undefined, consentEachTime: false } : demands;
}

/**
 * A passkey was removed after it was proved: because it was lost, or a stranger had added it. Then the rest of this sign-in must not
 * keep the account, add a factor or set an address. The session is checked once more when it is opened.
 */
async function hasLostPasskey({ store }: Services, { progress }: SignIn): Promise<boolean> {
  const proved = progress.proofs.filter(({ passkey }) => passkey !== undefined);
  const [first] = proved;
  if (!first) return false;
  const held = (await store.passkeysOf(first.sub)).map(({ id }) => id);
  return proved.some(({ passkey = '' }) => !held.includes(passkey));
}

/** The same for the link of a person to an identity provider. */
async function hasLostLink({ store }: Services, { progress }: SignIn): Promise<boolean> {
  for (const { sub, link } of progress.proofs) {
    if (link && (await store.findLinkedAccount(link))?.sub !== sub) return true;
  }
  return false;
}

/** Application or client may have been deleted meanwhile. */
async function findTarget(
  services: Services,
  caller: Request,
  authorization: PendingAuthorization,
): Promise<Target | Refusal> {
  const { app, request } = authorization;
  const application = await services.registry.application(app);
  if (!application) return { failure: failure('applicationUnknown') };
  const client = await findClient(services, application, request.clientId, caller);
  if (client && 'failure' in client) return { ...client, app };
  if (!client) return { failure: failure('clientUnknown'), app };
  return { ...authorization, application, client };
}

export function sessionOf({ services, request, target }: Visit): Promise<LiveSession | undefined> {
  const consentOf = target && { app: target.app, clientId: target.client.client_id };
  return currentSession(services, request, consentOf);
}

/** The one decision (next-step.rules.ts), with what only the store knows: whether the user trusts this browser. */
export async function nextStepOf(visit: Visit, session: LiveSession | undefined): Promise<NextStep> {
  const { services, request, demands, signIn } = visit;
  const seen = { session, progress: signIn.progress, now: services.clock.now() };
  const trusted = await trustedFor(services, request, skipsSecondFactorIfTrusted(demands, seen));
  return nextStep(services.tables.steps, demands, { ...seen, trustedFor: trusted });
}

/** What the user signs in to. */
export function brandFor({ services, signIn, target, locale }: Visit): Brand {
  if (target) return brandOf(services.config.baseUrl, target.application);
  return { name: signIn.progress.ownPage ? 'Gatehouse' : signInText[locale].yourAccount };
}

/** For the log. */
export function namesOf({
  target,
}: {
  readonly target?: { readonly app: string; readonly client: { readonly client_id: string } } | undefined;
}): {
  readonly app: string | undefined;
  readonly client: string | undefined;
} {
  return { app: target?.app, client: target?.client.client_id };
}

/** A step, and what loads its page. */
export interface LoadedStep extends SignInStep {
  load(): Promise<StepPage>;
}

/** What a step does with its page. */
export interface StepPage {
  /** The values of `action` in its forms; the first step at an address also takes every other form. */
  readonly actions: readonly string[];
  show(visit: Visit, session: LiveSession | undefined): Promise<Answer>;
  /** Records the outcome in the progress and sends the browser on (session.ts). */
  submit(visit: Visit, form: Params): Promise<Answer>;
}
