import { issuerOf } from '../../directory/applications/rules.ts';
import type { AuthRequest } from '../../oauth/authorize/request.rules.ts';
import { type Reply, type Request, redirect } from '../../platform/http/message.ts';
import { encodeParams } from '../../platform/http/params.rules.ts';
import { acrValues } from './acr.rules.ts';
import { NO_OUTCOMES, type Outcomes, type PresentSession } from './current-user.rules.ts';
import { type Demands, NO_DEMANDS } from './demands.rules.ts';
import { type NextStep, nextStep } from './next-step.rules.ts';
import type { Pending, PendingRequests } from './pending-request.ts';
import type { SignInStep } from './step.rules.ts';

/**
 * The state of a sign-in, encrypted and kept in the browser (pending-request.ts): the validated request, so that no page reads its
 * parameters again, and the outcome of each step.
 */
export interface Progress extends Outcomes {
  /** The request to be answered in the end; undefined: the user signs in for a page of this server. */
  readonly authorization: PendingAuthorization | undefined;
  /** Undefined: the account page. */
  readonly ownPage?: OwnPage | undefined;
  /** A mail was sent to this address, and its code is asked for. */
  readonly confirming?: Confirming | undefined;
}

export type Confirming = ConfirmingSignUp | { readonly purpose: 'verify'; readonly email: string };

/** What was typed waits in the browser. The store has no password of an account that does not exist yet. */
export interface ConfirmingSignUp {
  readonly purpose: 'sign-up';
  readonly email: string;
  /** Undefined: the address is the name. */
  readonly username: string | undefined;
  readonly passwordHash: string;
  /** The code was right, and the user name is taken: the page asks for another one. The hash of the token of the link. */
  readonly confirmed?: string | undefined;
}

/** A page of this server that needs a user who is signed in. */
export interface OwnPage {
  /** Path and query. */
  readonly path: string;
  /** Seconds that may have passed since the user authenticated; undefined: as long as the session lives. */
  readonly maxAge?: number | undefined;
  /** The authentication has to be with the strongest factor that the user has. */
  readonly isSensitive?: boolean | undefined;
  /** It is for operators, who need a second factor (GATEHOUSE_OPERATOR_MFA). */
  readonly requiresMfa?: boolean | undefined;
  /** The person goes to an identity provider from there, to be linked to this `sub`, who is signed in. */
  readonly addsLinkTo?: string | undefined;
  /** A form that was sent to it and waits for the sign-in; the page at `path` shows it again, from the sealed progress. */
  readonly form?:
    | {
        readonly action: string;
        readonly body: string;
        /** Fields that were too large to wait. */
        readonly leftOut?: readonly string[];
      }
    | undefined;
}

export interface PendingAuthorization {
  readonly app: string;
  /** Without id_token_hint, which was verified: `requiredSub` is what it says. */
  readonly request: AuthRequest;
  readonly requiredSub: string | undefined;
  /** The person signs in to approve a device (RFC 8628), and is asked there: no client gets an answer through this browser. */
  readonly device?: PendingDevice | undefined;
  /** The same for a backchannel request (CIBA). */
  readonly approval?: PendingApproval | undefined;
}

export interface PendingDevice {
  readonly userCode: string;
}

export interface PendingApproval {
  readonly id: string;
}

/** A sign-in that is in progress in a browser. */
export interface SignIn {
  readonly sealed: string;
  readonly progress: Progress & { readonly id: string };
  readonly pending: Pending<Progress>;
}

/** The page on which a person approves a device. */
export const DEVICE_PATH = '/device';

/** The page on which a person approves requests that come through the backchannel. */
export const APPROVALS_PATH = '/account/approvals';

/** The parameter that brings the browser back to the authorization endpoint. */
export const RESUME = 'gatehouse_pending';

/**
 * An authorization request has at most 16 KiB. Sealing adds a third, and JSON doubles control characters and quotation marks;
 * an address that is longer than this would not fit into the headers that the server accepts.
 */
export const MAX_SEALED_LENGTH = 32 * 1024;

interface Sealing {
  readonly pending: PendingRequests;
}

/** The request waits while the user signs in. */
export function beginSignIn(
  { pending }: Sealing,
  request: Request,
  authorization: PendingAuthorization | undefined,
  ownPage?: OwnPage,
  outcomes: Partial<Outcomes> = {},
): { readonly sealed: string; readonly cookies: string[] } {
  return pending.begin<Progress>(request, 'sign-in', { ...NO_OUTCOMES, ...outcomes, authorization, ownPage });
}

export function openSignIn({ pending }: Sealing, request: Request, sealed: string | undefined): SignIn | undefined {
  const opened = pending.open<Progress>(request, sealed, 'sign-in');
  return opened && sealed !== undefined ? signInOf(opened, sealed) : undefined;
}

type Outcome = Partial<Outcomes> & Pick<Progress, 'confirming'>;

export function advanceSignIn({ pending }: Sealing, signIn: SignIn, outcome: Outcome): SignIn {
  const advanced = { ...signIn.pending, content: { ...signIn.pending.content, ...outcome } };
  return signInOf(advanced, pending.seal(advanced));
}

/** The sign-in waits until a mail arrives. */
export function awaitMail({ pending }: Sealing, signIn: SignIn, confirming: Confirming): SignIn {
  const { content, ...rest } = pending.prolonged(signIn.pending);
  const waiting = { ...rest, content: { ...content, confirming } };
  return signInOf(waiting, pending.seal(waiting));
}

function signInOf(pending: Pending<Progress>, sealed: string): SignIn {
  return { sealed, pending, progress: { ...pending.content, id: pending.id } };
}

/** From the strongest on: the first that the user can reach. */
const STRONGEST = { values: [...acrValues].reverse(), essential: false };

export function demandsOfPage(page: OwnPage | undefined): Demands {
  if (!page) return NO_DEMANDS;
  return {
    ...NO_DEMANDS,
    ...(page.requiresMfa && { mfa: 'required' }),
    maxAge: page.maxAge,
    acr: page.isSensitive ? STRONGEST : undefined,
  };
}

interface PageServices extends Sealing {
  readonly config: { readonly baseUrl: string };
  readonly clock: { now(): number };
  readonly tables: { readonly steps: readonly SignInStep[] };
}

/** The session, if it is what a page of this server demands; otherwise the redirect to the step that is missing. */
export function sessionForPage<Session extends PresentSession>(
  services: PageServices,
  request: Request,
  session: Session | undefined,
  page?: OwnPage,
): Session | Reply {
  const next = nextStepForPage(services, session, page);
  return session && next.kind === 'done' ? session : beginAt(services, request, next, page);
}

/** To the step that the page demands of this session, which is not enough for it. */
export function stepForPage(
  services: PageServices,
  request: Request,
  session: PresentSession | undefined,
  page: OwnPage,
): Reply {
  return beginAt(services, request, nextStepForPage(services, session, page), page);
}

function nextStepForPage(services: PageServices, session: PresentSession | undefined, page?: OwnPage): NextStep {
  return nextStep(services.tables.steps, demandsOfPage(page), {
    session,
    progress: undefined,
    now: services.clock.now(),
  });
}

function beginAt(services: PageServices, request: Request, next: NextStep, page?: OwnPage): Reply {
  const { sealed, cookies } = beginSignIn(services, request, undefined, page);
  return redirectToStep(services.config.baseUrl, next.kind === 'ask' ? next.path : '/login', sealed, cookies);
}

/** To the page of a step. */
export function redirectToStep(baseUrl: string, path: string, sealed: string, cookies: string[] = []): Reply {
  return redirect(`${baseUrl}${path}?${encodeParams([['pending', sealed]])}`, 302, cookies);
}

/** A sign-in with as much of its progress as tells where it is answered. */
interface Resumed {
  readonly sealed: string;
  readonly progress: Pick<Progress, 'authorization' | 'ownPage'>;
}

/** To where the request is answered: the authorization endpoint, which alone answers a client, or a page of this server. */
export function resume(baseUrl: string, signIn: Resumed, cookies: string[] = []): Reply {
  return redirect(`${baseUrl}${placeOf(signIn)}`, 303, cookies);
}

/** Path and query of where the request is answered. */
export function placeOf({ progress, sealed }: Resumed): string {
  const { authorization, ownPage } = progress;
  const resumed = encodeParams([[RESUME, sealed]]);
  if (authorization?.device) return `${DEVICE_PATH}?${resumed}`;
  if (authorization?.approval) return `${APPROVALS_PATH}?${resumed}`;
  if (authorization) return `${issuerOf('', authorization.app)}/auth?${resumed}`;
  if (!ownPage) return '/account';
  return ownPage.form ? `${ownPage.path}?${resumed}` : ownPage.path;
}
