import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import type { Answer, Request } from '../../platform/http/message.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { presentSession, toPlace } from '../account/frame.ts';
import { passkeyOffer } from '../passkey/offer.ts';
import { freshSession, localeOf } from '../second-factor/page.ts';
import type { LiveSession } from '../sessions/store.ts';
import { isOwnName, isReservedName } from '../sign-up/reserved-names.ts';
import { editProfilePage, profilePage } from './html.ts';
import { judgeProfile, type ProfileValues, profileFields, valuesOf } from './typed-profile.ts';

/** /account: who the user is. /account/profile: changes it, with a fresh proof, because some of it are names to sign in with. */
const PATH = '/account';
const EDIT_PATH = '/account/profile';

export const showProfile: Handler = async (services, request) => {
  const session = await presentSession(services, request, PATH);
  if ('status' in session) return session;
  const canChangeEmail = services.config.mail !== undefined;
  const locale = localeOf(request);
  const offer = passkeyOffer(services, request, session, locale);
  return profilePage({ locale, user: session.user, canChangeEmail, passkeyOffer: offer });
};

export const showEditProfile: Handler = async (services, request) => {
  const session = await freshSession(services, request, EDIT_PATH);
  if ('status' in session) return session;
  return editProfilePage({ locale: localeOf(request), values: valuesOf(session.user) });
};

export const submitEditProfile: Handler = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const session = await freshSession(services, request, EDIT_PATH);
  if ('status' in session) return session;
  const values = typedValues(request, session);
  const verdict = await judgeProfile(session.user, values);
  const locale = localeOf(request);
  if (verdict.kind === 'fault') {
    return editProfilePage({ locale, values, fault: { field: verdict.field, kind: verdict.fault } });
  }
  if (verdict.changed.length === 0) return toPlace(services, PATH);
  return write(services, request, session, values, verdict);
};

/** A field that the form does not have stays as it is. */
function typedValues(request: Request, { user }: LiveSession): ProfileValues {
  const form = request.form;
  const named = new URLSearchParams(request.body);
  const present = valuesOf(user);
  const typed = profileFields.map(name => [name, named.has(name) ? (form.get(name) ?? '').trim() : present[name]]);
  return Object.fromEntries(typed) as ProfileValues;
}

async function write(
  services: Services,
  request: Request,
  { user }: LiveSession,
  values: ProfileValues,
  { changed, changes }: Extract<Awaited<ReturnType<typeof judgeProfile>>, { kind: 'changes' }>,
): Promise<Answer> {
  const { sub } = user;
  const locale = localeOf(request);
  // Names that are taken can be found out here: only a few are told.
  if (changed.includes('username')) {
    const { wait } = await services.throttle.admit({ kind: 'name', account: sub });
    if (wait > 0) return editProfilePage({ locale, values, tooManySeconds: wait });
  }
  if (changes.username !== undefined && !isOwnName(changes.username, user)) {
    if (await isReservedName(services, changes.username)) {
      return editProfilePage({ locale, values, fault: { field: 'username', kind: 'taken' } });
    }
  }
  const outcome = await services.store.changeUser(sub, ({ current }) => {
    if (!current) return { result: { kind: 'done' } as const };
    const who = { outcome: 'success', actor: userActor(sub), subject: sub } as const;
    const event = requestEvent(services, request, { type: 'user.updated', ...who, details: { fields: changed } });
    const value = { kind: 'change', now: services.clock.now(), profile: changes } as const;
    return { result: { kind: 'done' } as const, write: { value, act: { event } } };
  });
  if (outcome.kind === 'loginTaken') {
    return editProfilePage({ locale, values, fault: { field: 'username', kind: 'taken' } });
  }
  return toPlace(services, PATH);
}
