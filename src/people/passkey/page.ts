import type { PasskeyFault } from '../../audit/refusals/facts.rules.ts';
import { failure } from '../../failures.ts';
import { type Answer, type Reply, type Request, userAgentOf } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { withoutHidden } from '../../platform/text/readable-name.rules.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { refuseMailsOfUser } from '../email/request-confirmation.ts';
import { hashRecoveryCode, newRecoveryCodes } from '../recovery-codes/codes.ts';
import { factorAct, freshSession, localeOf, toSecurity } from '../second-factor/page.ts';
import { stepUp } from '../second-factor/step-up.ts';
import type { LiveSession } from '../sessions/store.ts';
import { USER_VERIFIED } from '../sign-in/acr.rules.ts';
import { recoveryCodesPage } from '../totp/enrol.html.ts';
import { nameOfPasskey, passkeysPage } from './html.ts';
import { declineOffer } from './offer.ts';
import { parseAnswer, type VerifiedRegistration, verifyRegistration } from './passkeys.ts';
import {
  challengeOf,
  creationOptions,
  MAX_PASSKEY_NAME_LENGTH,
  MAX_PASSKEYS,
  type RelyingParty,
  relyingPartyOf,
} from './rules.ts';

/**
 * /account/security/passkeys: the passkeys of the user, to add, rename and remove. The challenge of a new one travels sealed through the
 * browser, bound to it and to the user, and counts once.
 */
const PATH = '/account/security/passkeys';

interface Enrolment {
  readonly sub: string;
}

/** A user at the page, and the server that passkeys are bound to. */
interface Visit {
  readonly services: Services;
  readonly request: Request;
  readonly session: LiveSession;
  readonly party: RelyingParty;
}

export const showPasskeys: Handler = async (services, request) => {
  const visit = await openVisit(services, request);
  return 'session' in visit ? render(visit) : visit;
};

export const submitPasskeys: Handler = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const form = request.form;
  const action = form.get('action');
  if (action === 'not_now') return declineOffer(services);
  const visit = await openVisit(services, request);
  if (!('session' in visit)) return visit;
  if (action === 'add') return add(visit, form);
  const id = form.get('id') ?? '';
  if (action === 'rename') await rename(visit, id, form.get('name') ?? '');
  if (action === 'remove') return remove(visit, id);
  return toSecurity(services, [], '/passkeys');
};

async function openVisit(services: Services, request: Request): Promise<Visit | Answer> {
  const party = relyingPartyOf(services.config.baseUrl);
  if (!party) return { failure: failure('passkeysOff') };
  const session = await freshSession(services, request, PATH);
  return 'status' in session ? session : { services, request, session, party };
}

async function render(
  { services, request, session, party }: Visit,
  fault?: PasskeyFault | 'required' | 'lastWay',
): Promise<Reply> {
  const { user } = session;
  const held = await services.store.passkeysOf(user.sub);
  const { sealed, cookies } = services.pending.begin<Enrolment>(request, 'passkey', { sub: user.sub });
  const options = creationOptions(party, challengeOf(sealed), user, held);
  const isFull = held.length >= MAX_PASSKEYS;
  const page = passkeysPage({ locale: localeOf(request), held, sealed, options, isFull, fault });
  return cookies.length === 0 ? page : { ...page, headers: { ...page.headers, 'set-cookie': cookies } };
}

async function add(visit: Visit, form: Params): Promise<Answer> {
  const { services, request, session, party } = visit;
  const { sub } = session.user;
  const sealed = form.get('enrolment');
  const pending = services.pending.open<Enrolment>(request, sealed, 'passkey');
  if (sealed === undefined || pending?.content.sub !== sub) {
    const fault = services.pending.faultOf(request, sealed, 'passkey');
    return { failure: failure('pendingRequestExpired'), facts: { pending: fault }, sub };
  }
  const challenge = challengeOf(sealed);
  const answer = parseAnswer(form.get('passkey') ?? '');
  const verified = answer && (await verifyRegistration({ party, challenge, requiresUserVerification: false }, answer));
  if (!verified) return refuse(visit, 'invalid');
  const flood = await refuseMailsOfUser(services, sub);
  if (flood) return flood;
  const codes = newRecoveryCodes(services.random);
  const name =
    withoutHidden(form.get('name') ?? '')
      .trim()
      .slice(0, MAX_PASSKEY_NAME_LENGTH) || nameOfPasskey(localeOf(request), userAgentOf(request));
  const passkey = {
    ...keyOf(verified),
    name,
    challenge,
    challengeExpiresAt: pending.expiresAt + CLOCK_TOLERANCE_SECONDS,
    limit: MAX_PASSKEYS,
    recoveryHashes: codes.map(code => hashRecoveryCode(sub, code)),
  };
  const act = factorAct(services, request, session.user, 'factor.added', 'passkey', verified.id);
  const added = await services.store.addPasskey(sub, passkey, services.clock.now(), act);
  if (added.kind === 'taken' || added.kind === 'full') return refuse(visit, added.kind);
  // Sent twice: the codes were shown before.
  if (added.kind !== 'added') return toSecurity(services, [], '/passkeys');
  const cookies = await stepUp(services, request, session, methodsOf(verified));
  if (!added.withRecoveryCodes) return toSecurity(services, cookies, '/passkeys');
  const page = recoveryCodesPage({ document: { locale: localeOf(request) }, codes, next: PATH });
  return { ...page, headers: { ...page.headers, 'set-cookie': cookies } };
}

/** For nodes whose clocks differ. */
const CLOCK_TOLERANCE_SECONDS = 60;

function keyOf({ isUserVerified: _, ...key }: VerifiedRegistration): Omit<VerifiedRegistration, 'isUserVerified'> {
  return key;
}

function methodsOf({ isSyncable, isUserVerified }: VerifiedRegistration): string[] {
  return [isSyncable ? 'swk' : 'hwk', ...(isUserVerified ? [USER_VERIFIED] : [])];
}

/** The page asks again. */
async function refuse(visit: Visit, fault: PasskeyFault): Promise<Answer> {
  const { sub } = visit.session.user;
  const page = await render(visit, fault);
  return { ...page, refusal: { failure: failure('passkeyRefused'), sub, facts: { passkey: fault } } };
}

async function rename({ services, session }: Visit, id: string, typed: string): Promise<void> {
  const name = withoutHidden(typed).trim().slice(0, MAX_PASSKEY_NAME_LENGTH);
  if (name !== '') await services.store.renamePasskey(session.user.sub, id, name);
}

/** The last factor stays where an application that the user uses, or an operator, requires one; and the last way in. */
async function remove(visit: Visit, id: string): Promise<Answer> {
  const { services, request, session } = visit;
  const { sub } = session.user;
  const act = factorAct(services, request, session.user, 'factor.removed', 'passkey', id);
  const outcome = await services.store.removePasskey(sub, id, services.clock.now(), act);
  return outcome === 'required' || outcome === 'lastWay'
    ? render(visit, outcome)
    : toSecurity(services, [], '/passkeys');
}
