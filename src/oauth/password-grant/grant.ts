import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import { mayEnter } from '../../directory/access/rules.ts';
import type { Application } from '../../directory/applications/rules.ts';
import { canRefresh } from '../../directory/clients/rules.ts';
import { hasVerifiedEmail } from '../../directory/users/claims.rules.ts';
import type { Account } from '../../directory/users/store.ts';
import { type FailureName, scopeFailure, targetFailure } from '../../failures.ts';
import { allDirectories } from '../../people/federation/offered.ts';
import {
  authenticatePassword,
  type Elsewhere,
  type FaultElsewhere,
  factsOf,
  type PasswordOutcome,
  type PersonElsewhere,
} from '../../people/password/authenticate.ts';
import { noteLoginDenied } from '../../people/sign-in/login-denied.ts';
import { noteLoginFailed } from '../../people/sign-in/login-failed.ts';
import { header } from '../../platform/http/message.ts';
import { chooseLocale } from '../../platform/ui/locale.rules.ts';
import { NO_CLAIMS } from '../authorize/claims-request.rules.ts';
import { refreshKey } from '../proof-of-possession/binding.ts';
import { partOfNewFamily } from '../token/family-part.ts';
import {
  type GrantCall,
  type GrantHandler,
  type GrantResult,
  logFields,
  proofMissing,
  type RefusedGrant,
  refused,
  required,
} from '../token/grant.ts';
import { grantedApis } from '../token/granted-api.rules.ts';
import { newGrantId, planForFamily, planRefreshToken, type UserIssue } from '../token/issue.ts';
import { readAccess } from '../token/requested-access.rules.ts';
import type { TokenFamily } from '../token/store.ts';

/** RFC 6749 section 4.3. Off unless the client lists it: the application sees the password. */
export const password: GrantHandler<'authenticated', UserIssue> = {
  required: ['username', 'password'],
  optional: ['scope'],
  callers: ['authenticated'],
  subject: 'user',
  refreshToken: true,

  async run(call) {
    const { services, application, params, caller, request } = call;
    const read = readAccess(params, caller.client, application);
    if (read.kind === 'scopeInvalid') return { kind: 'refused', failure: scopeFailure(read.scope) };
    if (read.kind === 'targetInvalid') return { kind: 'refused', failure: targetFailure(read.resource) };

    const { address } = request;
    const typed = { username: required(call, 'username'), password: required(call, 'password'), address };
    const elsewhere = await elsewhereOf(call, typed.username);
    const outcome = await authenticatePassword(services, typed, elsewhere);
    if (outcome.kind === 'right' || outcome.kind === 'elsewhere') {
      const login = await loginOf(call, outcome);
      if ('failure' in login) return login;
      const missing = missingStep(application, login.user);
      if (missing) return refusedUser(call, login.user, missing);
      const { scope } = read;
      return startFamily(call, login, { scope, resources: grantedApis(application, scope, read.resources) });
    }
    if (outcome.kind === 'wrong' && outcome.elsewhere) await noteFault(call, outcome.elsewhere);
    noteLoginFailed(services, request, outcome, { app: application.code, clientId: caller.client.client_id });
    return refusedLogin(outcome);
  },
};

/** The directories of the application, as on the page. Loaded where there are some. */
async function elsewhereOf(
  { services, application, request }: GrantCall<'authenticated'>,
  username: string,
): Promise<Elsewhere | undefined> {
  if ((application.providers ?? []).length === 0) return undefined;
  const { elsewhereAt } = await import('../../people/federation/elsewhere.ts');
  return elsewhereAt({ services, target: { application } }, username, { address: request.address });
}

/** Who has proved what. */
interface Login {
  readonly user: Account;
  readonly amr: readonly string[];
}

/** A person of a directory gets the account that a page would give. But nobody can be asked here to prove one. */
async function loginOf(
  call: GrantCall<'authenticated'>,
  outcome: Extract<PasswordOutcome, { kind: 'right' }> | PersonElsewhere,
): Promise<Login | RefusedGrant> {
  if (outcome.kind === 'right')
    return (await refusedIfGone(call, outcome.user)) ?? { user: outcome.user, amr: ['pwd'] };
  const { services, request, application, caller } = call;
  const target = { app: application.code, client: caller.client, requiredSub: undefined };
  const locale = chooseLocale(undefined, header(request, 'accept-language'));
  const place = { services, request, target, locale };
  const typed = { username: required(call, 'username'), password: required(call, 'password') };
  const { resolveElsewhere } = await import('../../people/password-check/take-over.ts');
  const resolved = await resolveElsewhere(place, outcome, typed);
  if (resolved.kind === 'account' && resolved.account.disabled) {
    // Its deletion is due, and only a page can ask whether to keep it.
    return { ...refused('credentialsWrong'), sub: resolved.account.sub };
  }
  if (resolved.kind === 'account') {
    const { noteUse } = await import('../../people/federation/resolve.ts');
    await noteUse(place, resolved);
    if (!outcome.takesOver) {
      const { noteSucceeded } = await import('../../people/federation/conclude.ts');
      noteSucceeded(place, outcome.provider, resolved.account);
    }
    return { user: resolved.account, amr: [outcome.takesOver ? 'pwd' : 'fed'] };
  }
  if (resolved.kind === 'changed') return { ...refused('credentialsWrong'), sub: resolved.sub };
  const reason = resolved.kind === 'prove' ? PROOF_NEEDED : resolved.reason;
  return { ...refused('credentialsWrong'), facts: { provider: { id: outcome.provider.id, reason } } };
}

/** What the directory had to do with it, as on the page. */
async function noteFault(call: GrantCall<'authenticated'>, fault: FaultElsewhere): Promise<void> {
  const { services, request, application, caller } = call;
  const { noteFaultElsewhere } = await import('../../people/federation/fault.ts');
  const target = { app: application.code, client: caller.client, requiredSub: undefined };
  noteFaultElsewhere({ services, request, target }, fault);
}

/** Who has left a directory does not come in by a password of this server either. */
async function refusedIfGone(
  { services }: GrantCall<'authenticated'>,
  { sub }: Account,
): Promise<RefusedGrant | undefined> {
  const directories = await allDirectories(services);
  if (directories.length === 0) return undefined;
  const { findGoneFrom } = await import('../../people/federation/recheck.ts');
  const gone = await findGoneFrom(services, sub, directories);
  return (
    gone && { ...refused('credentialsWrong'), sub, facts: { provider: { id: gone.provider, reason: gone.reason } } }
  );
}

const PROOF_NEEDED = 'its address belongs to an account here, and whoever owns that has to sign in on a page once';

/** The grant has no page that could ask for what a sign-in asks for, or say that the user has no access. */
function missingStep(application: Application, user: Account): FailureName | undefined {
  if (needsSecondFactor(application, user)) return 'secondFactorNeeded';
  if (user.requirePasswordChange) return 'passwordChangeNeeded';
  if (application.require_verified_email && !hasVerifiedEmail(user)) return 'emailUnverified';
  return mayEnter(application, user) ? undefined : 'passwordUserNotAllowed';
}

function refusedUser(
  { services, application, caller, request }: GrantCall<'authenticated'>,
  { sub }: Account,
  missing: FailureName,
): RefusedGrant {
  const place = { app: application.code, clientId: caller.client.client_id };
  if (missing === 'passwordUserNotAllowed') noteLoginDenied(services, request, sub, place);
  return { ...refused(missing), sub };
}

function needsSecondFactor({ mfa, passkeys }: Application, user: Account): boolean {
  const { totp, hasPasskey = false, requiresMfa = false } = user;
  if (requiresMfa || mfa === 'required') return true;
  return mfa === 'optional' && (totp !== undefined || (passkeys && hasPasskey));
}

/** The password was right. The store looks once more whether user and client are still there. */
async function startFamily(
  call: GrantCall<'authenticated'>,
  { user, amr }: Login,
  { scope, resources }: Pick<TokenFamily, 'scope' | 'resources'>,
): Promise<GrantResult<UserIssue>> {
  const { services, application, request } = call;
  const { client } = call.caller;
  const part = partOfNewFamily(services, application, user.sub);
  const access = planForFamily(services, application, { scope, resources }, call.binding, part);
  if (access === 'proofMissing') return proofMissing(call.caller.client);
  if (typeof access === 'string') return refused('targetInvalid');
  const refresh = canRefresh(client)
    ? planRefreshToken(services, application, part, refreshKey(call.binding, client))
    : undefined;
  const { issuedAt } = access;
  const family: TokenFamily = {
    clientId: client.client_id,
    sub: user.sub,
    scope,
    resources,
    authTime: issuedAt,
    amr,
    sid: undefined,
    claims: NO_CLAIMS,
  };
  const tokens = { grantId: newGrantId(services), issuedAt, access: access.stored, refresh: refresh?.stored };
  const { code } = application;
  const event = requestEvent(services, request, {
    type: 'user.login.succeeded',
    outcome: 'success',
    actor: userActor(user.sub),
    subject: user.sub,
    app: code,
    clientId: client.client_id,
    details: { amr: family.amr, grant_type: 'password' },
  });
  const login = { passwordHash: user.passwordHash, event };
  const outcome = await services.store.addTokenFamily(code, family, tokens, login);
  if (outcome === 'clientGone') return refused('clientAuthenticationFailed');
  services.statistics.loginSucceeded(code);
  services.log.info('login.succeeded', logFields(call, client, user.sub));
  const owner = { subject: 'user', application, client, family, user } as const;
  return { kind: 'issued', issue: { ...owner, scope, access, refreshToken: refresh?.value, nonce: undefined } };
}

function refusedLogin(outcome: Exclude<PasswordOutcome, { kind: 'right' }>): RefusedGrant {
  const { sub } = outcome;
  switch (outcome.kind) {
    case 'throttled':
      return { ...refused('tooManyAttempts', outcome.retryAfter), sub };
    case 'busy':
      return { ...refused('hashQueueFull', outcome.retryAfter), sub };
    case 'wrong': {
      const isUnchecked = outcome.elsewhere !== undefined && outcome.elsewhere.kind !== 'wrong';
      return { ...refused(isUnchecked ? 'providerUnavailable' : 'credentialsWrong'), sub, ...factsOf(outcome) };
    }
  }
}
