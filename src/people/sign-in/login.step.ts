import { type Provider, providerName } from '../../directory/providers/rules.ts';
import { hasVerifiedEmail } from '../../directory/users/claims.rules.ts';
import type { Account } from '../../directory/users/store.ts';
import { type FailureName, failure } from '../../failures.ts';
import type { Answer, Reply } from '../../platform/http/message.ts';
import { toProvider } from '../federation/begin.ts';
import { chosenFor, providerOfTyped } from '../federation/choose.ts';
import { concludeResolved, concludeSignIn } from '../federation/conclude.ts';
import { elsewhereAt } from '../federation/elsewhere.ts';
import { FAULT_FAILURES, noteFaultElsewhere } from '../federation/fault.ts';
import { buttonsOf, formTargetsOf, offeredAt } from '../federation/offered.ts';
import { federationText } from '../federation/text.ts';
import { knownBrowser } from '../known-browsers/known-browser.ts';
import { challengeFor, checkPasskey, partyFor } from '../passkey/check.ts';
import { requestOptions } from '../passkey/rules.ts';
import { authenticatePassword, type Elsewhere, factsOf, type PersonElsewhere } from '../password/authenticate.ts';
import { digestOf } from '../second-factor/second-factor.ts';
import { offersSignUp } from '../sign-up/new-account.ts';
import { firstFactor } from './current-user.rules.ts';
import { type LoginError, loginPage } from './login.html.ts';
import { noteLoginFailed, reasonOf } from './login-failed.ts';
import { resume } from './progress.ts';
import { cancel, goOn, goOnAs, goOnWith } from './session.ts';
import { brandFor, namesOf, type StepPage, type Visit } from './visit.ts';

/** The user authenticates with user name and password, or goes to an identity provider from here. */
export const password: StepPage = {
  actions: ['cancel', 'passkey'],
  show: async (visit, session) => {
    const chosen = await chosenFor(visit, session);
    if (chosen) return toProvider(visit, chosen);
    const { linking, providerFault } = visit.signIn.progress;
    const fault = providerFault && (await faultError(visit, providerFault));
    return render(visit, linking?.email ?? visit.target?.request.loginHint ?? '', fault);
  },
  submit: async (visit, form) => {
    // Nobody signs in on the way to a further link: that would pass by the fresh proof it takes (people/federation/begin.ts).
    const { ownPage } = visit.signIn.progress;
    if (ownPage?.addsLinkTo !== undefined) return resume(visit.services.config.baseUrl, visit.signIn);
    if (form.get('action') === 'cancel') return cancel(visit);
    const local = await takesLocal(visit);
    if (local && form.get('action') === 'passkey') return signInByPasskey(visit, form.get('passkey') ?? '');
    if (!local && (await offeredAt(visit)).directories.length === 0) return render(visit, '');
    return check(visit, form.get('username'), form.get('password'));
  },
};

/** The same for the account that a person of a provider has here already. Turning back is no refusal: there are other ways to sign in. */
export const linkToAccount: StepPage = {
  ...password,
  submit: async (visit, form) => {
    if (form.get('action') !== 'cancel') return password.submit(visit, form);
    return goOn(visit, { linking: undefined, providerFault: undefined });
  },
};

async function check(visit: Visit, username?: string, typed?: string): Promise<Answer> {
  const { services, request } = visit;
  const provider = await providerOfTyped(visit, username ?? '');
  if (provider && typed === undefined) return toProvider(visit, provider, username);
  if (username === undefined || typed === undefined) {
    const page = await render(visit, username ?? visit.target?.request.loginHint ?? '', { kind: 'missing' });
    const missing = failure('parameterMissing', username === undefined ? 'username' : 'password');
    return { ...page, refusal: { failure: missing, ...namesOf(visit) } };
  }
  const { id, address } = request;
  const browser = knownBrowser(services, request);
  const elsewhere = await elsewhereOf(visit, username);
  const outcome = await authenticatePassword(services, { username, password: typed, address, browser }, elsewhere);
  if (outcome.kind === 'elsewhere') return signInElsewhere(visit, outcome, { username, password: typed });
  if (outcome.kind === 'wrong' && outcome.leaving) return goOnAsUser(visit, outcome.leaving);
  // Who has a password here is let in by it, so that an operator can help while the provider is down.
  if (outcome.kind === 'wrong' && provider) return toProvider(visit, provider, username);
  if (outcome.kind !== 'right') {
    // Not the name that was typed: people type passwords into that field.
    const { kind, sub } = outcome;
    services.log.info('login.refused', { request: id, ...namesOf(visit), sub, address, reason: reasonOf(outcome) });
    const { app, client } = namesOf(visit);
    noteLoginFailed(services, request, outcome, { app, clientId: client });
    const fault = outcome.kind === 'wrong' ? outcome.elsewhere : undefined;
    if (fault) noteFaultElsewhere(visit, fault);
    const isUnchecked = fault !== undefined && fault.kind !== 'wrong';
    const reason = failure(isUnchecked ? FAULT_FAILURES[fault.kind] : FAILURES[kind]);
    const refusal = { failure: reason, ...namesOf(visit), sub };
    const more = outcome.kind === 'wrong' ? factsOf(outcome) : { retryAfter: outcome.retryAfter };
    const told = isUnchecked ? await uncheckedError(visit, fault.id) : outcome;
    return { ...(await render(visit, username, told)), refusal: { ...refusal, ...more } };
  }
  return goOnAsUser(visit, outcome.user);
}

async function signInElsewhere(
  visit: Visit,
  { provider, identity, takesOver }: PersonElsewhere,
  typed: { readonly username: string; readonly password: string },
): Promise<Answer> {
  if (!takesOver) return concludeSignIn(visit, provider, identity);
  const { takeOver } = await import('../password-check/take-over.ts');
  const taken = await takeOver(visit, provider, identity, typed);
  if (taken.kind === 'account') return goOnAsUser(visit, taken.account);
  if (taken.kind !== 'changed') return concludeResolved(visit, provider, identity, taken);
  const refusal = { failure: failure('credentialsWrong'), ...namesOf(visit), sub: taken.sub };
  return { ...(await render(visit, typed.username, { kind: 'wrong' })), refusal };
}

/** A password that adds to a passkey is one of the account here. */
async function elsewhereOf(visit: Visit, username: string): Promise<Elsewhere | undefined> {
  const { linking, proofs } = visit.signIn.progress;
  return firstFactor(proofs)
    ? undefined
    : elsewhereAt(visit, username, { except: linking?.provider, address: visit.request.address });
}

/** Nobody knows whose the name is, so all are told the same. */
async function uncheckedError(visit: Visit, provider: string): Promise<LoginError> {
  const name = nameOf(await visit.services.registry.providers(), provider);
  return { kind: 'unchecked', message: federationText[visit.locale].unchecked(name) };
}

function goOnAsUser(visit: Visit, user: Account): Promise<Answer> {
  const { sub, passwordHash } = user;
  const proved = {
    hasTotp: user.totp !== undefined,
    hasPasskey: user.hasPasskey === true,
    requiresMfa: user.requiresMfa,
    hasEmail: user.email !== undefined,
    hasVerifiedEmail: hasVerifiedEmail(user),
    needsNewPassword: user.requirePasswordChange,
    deletionDue: user.deletionDue,
    passwordDigest: digestOf(passwordHash),
  };
  return goOnAs(visit, { sub, method: 'pwd', at: visit.services.clock.now(), ...proved }, passwordHash);
}

/** The page asks again; the explanation says the same as for the password grant. */
const FAILURES = {
  wrong: 'credentialsWrong',
  throttled: 'tooManyAttempts',
  busy: 'hashQueueFull',
} as const satisfies Record<string, FailureName>;

/** The passkey says who the user is. With user verification it is enough; without, it is one factor like the password. */
async function signInByPasskey(visit: Visit, answer: string): Promise<Answer> {
  const { services, request } = visit;
  const party = partyFor(visit);
  if (!party) return { failure: failure('passkeysOff'), ...namesOf(visit) };
  const checked = await checkPasskey(visit, party, answer, { sub: undefined, requiresUserVerification: false });
  if (checked.kind === 'right') {
    // It begins the sign-in anew: a password that was typed before may have been changed since.
    const { proof } = checked;
    return goOnWith(visit, proof.sub, [proof], undefined);
  }
  const { sub } = checked;
  if (checked.kind === 'replayed') return { failure: failure('formReplayed'), ...namesOf(visit), sub };
  const { app, client } = namesOf(visit);
  const kind = checked.fault === 'cloned' ? 'cloned' : 'wrong';
  const { id, address } = request;
  services.log.info('login.refused', { request: id, app, client, sub, address, reason: kind });
  noteLoginFailed(services, request, { kind, sub, factor: 'passkey' }, { app, clientId: client });
  const facts = { passkey: checked.fault };
  const refusal = { failure: failure('passkeyRefused'), app, client, sub, facts };
  return { ...(await render(visit, visit.target?.request.loginHint ?? '', { kind: 'passkey' })), refusal };
}

async function render(visit: Visit, username: string, error?: LoginError): Promise<Reply> {
  const { services, signIn, target, locale } = visit;
  const { linking } = signIn.progress;
  const { providers, directories } = await offeredAt(visit);
  const local = await takesLocal(visit);
  const others = providers.filter(({ id }) => id !== linking?.provider);
  const party = partyFor(visit);
  return loginPage({
    locale,
    brand: brandFor(visit),
    pending: signIn.sealed,
    username,
    redirectUri: target?.request.redirectUri,
    passkey: local && party ? requestOptions(party, challengeFor(visit), 'preferred') : undefined,
    addsToPasskey: firstFactor(signIn.progress.proofs) !== undefined,
    offersReset: local && services.config.mail !== undefined,
    linksTo: linking && { provider: nameOf(providers, linking.provider), email: linking.email },
    providers: buttonsOf(visit, others),
    providerTargets: formTargetsOf(others),
    takesPasswords: local || directories.length > 0,
    // Whose address has a domain of a provider goes there without one.
    needsPassword: linking !== undefined || providers.every(({ domains }) => domains.length === 0),
    offersSignUp:
      linking === undefined && target?.requiredSub === undefined && offersSignUp(services, target?.application),
    ...(error ? { error } : {}),
  });
}

/** A password that adds to a passkey, or proves an account to be linked, is no way in of its own. */
async function takesLocal(visit: Visit): Promise<boolean> {
  const { linking, proofs } = visit.signIn.progress;
  return linking !== undefined || firstFactor(proofs) !== undefined || (await offeredAt(visit)).local;
}

function nameOf(providers: readonly Provider[], id: string): string {
  const found = providers.find(each => each.id === id);
  return found ? providerName(found) : id;
}

/** The person turned back at the provider: there is nothing to tell. */
async function faultError(
  visit: Visit,
  { provider, kind }: { readonly provider: string; readonly kind: string },
): Promise<LoginError | undefined> {
  const { faults } = federationText[visit.locale];
  if (!Object.hasOwn(faults, kind)) return undefined;
  const name = nameOf(await visit.services.registry.providers(), provider);
  return { kind: 'provider', message: faults[kind as keyof typeof faults](name) };
}
