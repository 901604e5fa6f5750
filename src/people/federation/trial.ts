import { withOrigin } from '../../audit/events/request-event.ts';
import { callbackOf, type Provider } from '../../directory/providers/rules.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import type { Request } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { withinRequest } from '../../platform/store/request-time.ts';
import type { Services } from '../../services.ts';
import { countLogin } from '../password/login-attempt.ts';
import { newAccounts } from './account.ts';
import { finishAnswer } from './answer.ts';
import { beginAttempt, type TakenAttempt, takeAttempt } from './attempt.ts';
import { connected, connectorOf } from './begin.ts';
import type { Begun, Identity, ProviderFault } from './connector.ts';
import { countsEntries } from './entry-attempts.ts';
import { type Judged, judgePerson } from './judge.ts';
import { openAnswer } from './received.ts';
import type { Verdict } from './rules.ts';

/**
 * A sign-in with a provider that an operator tries: the same request, answer and rules as of a person, and then nothing. No account, no
 * session, no link. The attempt waits sealed in the operator's browser, and its answer is taken once, in the same browser and session.
 */
export interface Trier {
  /** The `sub` of the operator. */
  readonly operator: string;
  /** The session of the browser. */
  readonly session: string;
}

export type BegunTrial =
  | { readonly kind: 'gone'; readonly begun: Exclude<Begun, { kind: 'failed' }>; readonly cookies: string[] }
  | { readonly kind: 'failed'; readonly fault: ProviderFault }
  /** The browser has no cookie to bind the attempt to. */
  | { readonly kind: 'noCookie' };

/** `isAnew`: the operator authenticates there, whether or not a session is there. One that fails is tried all the same. */
export async function beginTrial(
  services: Services,
  request: Request,
  registered: Provider,
  trier: Trier,
  isAnew: boolean,
): Promise<BegunTrial> {
  const provider = connected({ services }, registered);
  const attempt = beginAttempt(services, request, 'provider trial');
  if (!attempt) return { kind: 'noCookie' };
  const begun = await (await connectorOf({ services }, provider)).begin({
    services,
    provider,
    callback: callbackOf(services.config.baseUrl, provider.id),
    state: attempt.id,
    loginHint: undefined,
    prompt: isAnew ? 'login' : undefined,
    maxAge: provider.max_age,
    uiLocales: undefined,
  });
  if (begun.kind === 'failed') {
    note(services, request, registered, trier, begun.fault);
    return begun;
  }
  const cookies = attempt.keep({ provider: provider.id, kept: begun.kept, ...trier });
  return cookies ? { kind: 'gone', begun, cookies } : { kind: 'noCookie' };
}

/** `wrong`: name or password, as the provider sees them; it works. */
export type TrialFault = ProviderFault | { readonly kind: 'wrong'; readonly reason: string };

interface Identified {
  readonly kind: 'identified';
  readonly identity: Identity;
  readonly judged: Judged;
  /** The user name that a new account would get. */
  readonly username: string | undefined;
  /** An account without any way in has the name that was typed. */
  readonly isWaited?: true;
  readonly cookies: readonly string[];
}

export type FinishedTrial =
  | Identified
  | { readonly kind: 'failed'; readonly fault: TrialFault; readonly cookies: readonly string[] }
  | Exclude<TakenAttempt<never>, { kind: 'taken' }>;

export async function finishTrial(
  services: Services,
  request: Request,
  registered: Provider,
  trier: Trier,
  answer: Params,
): Promise<FinishedTrial> {
  const { id } = registered;
  // What was posted comes sealed (received.ts). A sign-in that began at the provider is none that an operator tried.
  const sealed = answer.get('answer');
  const received = sealed === undefined ? undefined : openAnswer(services, id, sealed);
  if (sealed !== undefined && (!received || received.kind === 'unsolicited')) return { kind: 'unknown' };
  const state = received && received.kind !== 'unsolicited' ? received.state : answer.get('state');
  const taken = await takeAttempt(services, request, 'provider trial', id, state);
  if (taken.kind !== 'taken') return taken;
  const { attempt, cookies } = taken;
  // Somebody else has signed in to this browser since.
  if (attempt.operator !== trier.operator || attempt.session !== trier.session) return { kind: 'unknown' };
  const finished = await finishAnswer(services, connected({ services }, registered), answer, attempt.kept, received);
  if (finished.kind === 'failed') {
    note(services, request, registered, trier, finished.fault);
    return { ...finished, cookies };
  }
  return identified(services, request, registered, trier, finished.identity, cookies);
}

/** What a person would type into the ordinary form, of a provider that is asked with that. Counted as every other guess. */
export async function tryPassword(
  services: Services,
  request: Request,
  registered: Provider,
  trier: Trier,
  typed: { readonly username: string; readonly password: string },
): Promise<FinishedTrial | { readonly kind: 'throttled'; readonly retryAfter: number }> {
  const { id, type } = registered;
  const load = services.tables.passwordCheckers.get(type);
  if (!load) throw new Error(`no capability checks passwords with providers of the type ${type}`);
  const name = loginName(typed.username);
  const attempts = countLogin(services, { name, address: request.address, browser: undefined });
  const begun = await attempts.begin();
  if (begun > 0) return { kind: 'throttled', retryAfter: begun };
  const account = name === undefined ? undefined : await services.store.findAccount(name);
  const { wait, isExhausted } = await attempts.admit(account, await attempts.read());
  if (wait > 0) return { kind: 'throttled', retryAfter: wait };
  const provider = connected({ services }, registered);
  const password = isExhausted ? undefined : typed.password;
  const checker = await load();
  const countEntry = countsEntries(services, id, { address: request.address, browser: undefined });
  const { username } = typed;
  const checked = await checker.check({ services, provider, username, password, account, countEntry });
  services.providerHealth.note(id, checked.kind !== 'failed' || checked.fault.kind !== 'unavailable');
  return withinRequest(performance.now(), async () => {
    if (checked.kind === 'identified') {
      await attempts.succeeded();
      const found = await identified(services, request, registered, trier, checked.identity, []);
      return checker.takesOver ? asMoved(services, registered, found, typed.username) : found;
    }
    if (checked.kind === 'failed') await attempts.withdrawn();
    else await attempts.failed();
    const fault = checked.kind === 'failed' ? checked.fault : ({ kind: 'wrong', reason: checked.reason } as const);
    note(services, request, registered, trier, fault);
    return { kind: 'failed', fault, cookies: [] };
  });
}

/** An old system: an account that waits for the name is the person's (people/password-check). */
async function asMoved(
  services: Services,
  { id }: Provider,
  found: Identified,
  username: string,
): Promise<FinishedTrial> {
  const { accountThatWaits } = await import('../password-check/take-over.ts');
  const key = { provider: id, subject: found.identity.subject };
  const account = await accountThatWaits(services, key, username);
  if (!account) return found;
  const verdict: Verdict = account.disabled
    ? { kind: 'refused', reason: 'disabled' }
    : { kind: 'join', sub: account.sub };
  const judged = { ...found.judged, owner: account, verdict };
  return { ...found, judged, isWaited: true };
}

/** The time of the provider is not that of the database. */
function identified(
  services: Services,
  request: Request,
  registered: Provider,
  trier: Trier,
  identity: Identity,
  cookies: readonly string[],
): Promise<Identified> {
  note(services, request, registered, trier, undefined);
  return withinRequest(performance.now(), async () => {
    const judged = await judgePerson(services, registered, identity, undefined);
    const username = judged.verdict.kind === 'create' ? await freeName(services, registered.id, judged) : undefined;
    return { kind: 'identified', identity, judged, username, cookies };
  });
}

/** Undefined: one with random characters. */
async function freeName(services: Services, provider: string, { person }: Judged): Promise<string | undefined> {
  const accounts = await newAccounts(services, provider, person);
  for (const { username } of accounts.slice(0, -1)) {
    const name = loginName(username);
    if (name !== undefined && !(await services.store.findAccount(name))) return username;
  }
  return undefined;
}

function note(
  services: Services,
  request: Request,
  { id }: Provider,
  { operator }: Trier,
  fault: TrialFault | undefined,
): void {
  services.recorder.record(
    withOrigin(request, {
      type: 'provider.tried',
      outcome:
        fault === undefined ? 'success' : fault.kind === 'cancelled' || fault.kind === 'wrong' ? 'denied' : 'failure',
      actor: { kind: 'operator', id: operator },
      subject: id,
      ...(fault ? { details: { reason: fault.kind, detail: fault.reason } } : {}),
    }),
  );
}
