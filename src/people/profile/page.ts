import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import { userAttributes } from '../../directory/user-attributes/queries.ts';
import { type AttributeChanges, attributeFaults, type UserAttribute } from '../../directory/user-attributes/rules.ts';
import { shownAttributeValues, type TypedAttributes } from '../../directory/user-attributes/values.html.ts';
import { changedAttributeValues, typedAttributeValues } from '../../directory/user-attributes/values.ts';
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
  const defined = await userAttributes(services.store.cold);
  const { user } = session;
  const attributes = shownAttributeValues(locale, defined, user.standardClaims?.attributes);
  return profilePage({ locale, user, canChangeEmail, passkeyOffer: offer, attributes });
};

export const showEditProfile: Handler = async (services, request) => {
  const session = await freshSession(services, request, EDIT_PATH);
  if ('status' in session) return session;
  const { user } = session;
  const attributes = { defined: await changeable(services), values: user.standardClaims?.attributes, faulty: [] };
  return editProfilePage({ locale: localeOf(request), values: valuesOf(user), attributes });
};

export const submitEditProfile: Handler = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const session = await freshSession(services, request, EDIT_PATH);
  if ('status' in session) return session;
  const values = typedValues(request, session);
  const own = judgeAttributes(session, await changeable(services), request);
  const verdict = await judgeProfile(session.user, values);
  const locale = localeOf(request);
  if (verdict.kind === 'fault') {
    const fault = { field: verdict.field, kind: verdict.fault };
    return editProfilePage({ locale, values, fault, attributes: own });
  }
  if (own.faulty.length > 0) return editProfilePage({ locale, values, attributes: own });
  if (verdict.changed.length === 0 && own.changes === undefined) return toPlace(services, PATH);
  return write(services, request, session, { values, own }, verdict);
};

/** A field that the form does not have stays as it is. */
function typedValues(request: Request, { user }: LiveSession): ProfileValues {
  const form = request.form;
  const named = new URLSearchParams(request.body);
  const present = valuesOf(user);
  const typed = profileFields.map(name => [name, named.has(name) ? (form.get(name) ?? '').trim() : present[name]]);
  return Object.fromEntries(typed) as ProfileValues;
}

/** Those that the user may change. */
async function changeable({ store }: Services): Promise<readonly UserAttribute[]> {
  return (await userAttributes(store.cold)).filter(({ editable_by: editor }) => editor === 'user');
}

interface JudgedAttributes extends TypedAttributes {
  readonly changes: AttributeChanges | undefined;
}

/** As with the other fields, one that the form does not have stays, and so does one that was not touched. */
function judgeAttributes({ user }: LiveSession, defined: readonly UserAttribute[], request: Request): JudgedAttributes {
  const named = new URLSearchParams(request.body);
  const present = user.standardClaims?.attributes;
  const sent = defined.filter(({ name }) => named.has(`attributes.${name}`));
  const typed = typedAttributeValues(sent, request.form);
  const changes = changedAttributeValues(present, typed);
  const faulty = attributeFaults(defined, changes, present).map(({ name = '' }) => name);
  return { defined, values: { ...present, ...typed }, faulty, changes };
}

async function write(
  services: Services,
  request: Request,
  { user }: LiveSession,
  { values, own }: { readonly values: ProfileValues; readonly own: JudgedAttributes },
  { changed, changes }: Extract<Awaited<ReturnType<typeof judgeProfile>>, { kind: 'changes' }>,
): Promise<Answer> {
  const { sub } = user;
  const locale = localeOf(request);
  // Names that are taken can be found out here: only a few are told.
  if (changed.includes('username')) {
    const { wait } = await services.throttle.admit({ kind: 'name', account: sub });
    if (wait > 0) return editProfilePage({ locale, values, tooManySeconds: wait, attributes: own });
  }
  if (changes.username !== undefined && !isOwnName(changes.username, user)) {
    if (await isReservedName(services, changes.username)) {
      return editProfilePage({ locale, values, fault: { field: 'username', kind: 'taken' }, attributes: own });
    }
  }
  const fields = [...changed, ...Object.keys(own.changes ?? {}).map(name => `attributes.${name}`)];
  const profile = own.changes === undefined ? changes : { ...changes, attributes: own.changes };
  const outcome = await services.store.changeUser(sub, ({ current }) => {
    if (!current) return { result: { kind: 'done' } as const };
    const who = { outcome: 'success', actor: userActor(sub), subject: sub } as const;
    const event = requestEvent(services, request, { type: 'user.updated', ...who, details: { fields } });
    const value = { kind: 'change', now: services.clock.now(), profile } as const;
    return { result: { kind: 'done' } as const, write: { value, act: { event } } };
  });
  if (outcome.kind === 'loginTaken') {
    return editProfilePage({ locale, values, fault: { field: 'username', kind: 'taken' }, attributes: own });
  }
  return toPlace(services, PATH);
}
