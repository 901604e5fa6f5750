import type { EventView } from '../../audit/events/operations.ts';
import { listEvents } from '../../audit/events/operations.ts';
import { etagOf } from '../../operators/api/operation.ts';
import type { AnyOperation } from '../../operators/api/operation-table.ts';
import { answerForm } from '../../operators/console-frame/answer.ts';
import type { NoticeName } from '../../operators/console-frame/notices.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  type Performed,
  refusalOf,
  type View,
} from '../../operators/console-frame/page.ts';
import {
  actionButton,
  chip,
  confirmByName,
  copyable,
  faultSummary,
  field,
} from '../../operators/console-frame/parts.ts';
import { onceField } from '../../operators/console-frame/shown-once.ts';
import { consoleText } from '../../operators/console-frame/text.ts';
import { type EmailUndoRow, emailUndosSection } from '../../people/email/console.ts';
import { listEmailUndos, revokeEmailUndos } from '../../people/email/operations.ts';
import { linksSection, type UserLinkRow } from '../../people/linking/console.ts';
import { listUserLinks, unlinkUser } from '../../people/linking/operations.ts';
import { resetUserFactors } from '../../people/second-factor/operations.ts';
import { listTrustedBrowsers, withdrawTrustedBrowser } from '../../people/trusted-browsers/operations.ts';
import type { Answer, Refusal } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { UserAttribute } from '../user-attributes/rules.ts';
import { usersPlace, userText } from './console.text.ts';
import { type UserRow, userState } from './console.ts';
import { typedUser, type UserValues, userChanges, userFields } from './form.console.ts';
import {
  type ConsentRow,
  consentsSection,
  eventsSection,
  type FactorRow,
  factorsSection,
  type GrantRow,
  grantsSection,
  type Listed,
  type SessionRow,
  sessionsSection,
  type TrustedBrowserRow,
  trustedBrowsersSection,
} from './holdings.console.ts';
import {
  endUserSession,
  listUserConsents,
  listUserFactors,
  listUserGrants,
  listUserSessions,
  removeUserFactor,
  revokeUserGrant,
  signOutUser,
  withdrawUserConsent,
} from './holdings.operations.ts';
import { resendInvitation } from './invitations.operations.ts';
import { definedIn } from './new.console.ts';
import { deleteUser, getUser, setUserPassword, updateUser } from './operations.ts';

type User = UserRow & UserValues;

/** What a button ends; its form has the id. */
const ENDS: Readonly<Record<string, AnyOperation>> = {
  'end-session': endUserSession,
  'revoke-grant': revokeUserGrant,
  'withdraw-consent': withdrawUserConsent,
  'remove-factor': removeUserFactor,
  'distrust-browser': withdrawTrustedBrowser,
  unlink: unlinkUser,
};
const NOTICES: Readonly<Record<string, NoticeName>> = {
  'end-session': 'sessionEnded',
  'revoke-grant': 'grantRevoked',
  'withdraw-consent': 'consentWithdrawn',
  'remove-factor': 'factorRemoved',
  'distrust-browser': 'browserDistrusted',
  unlink: 'unlinked',
  'revoke-undos': 'undosRevoked',
  'reset-factors': 'factorsReset',
  'require-factor': 'factorRequired',
  'waive-factor': 'factorOptional',
  'resend-invitation': 'invited',
  'sign-out': 'signedOut',
  disable: 'disabled',
  enable: 'enabled',
  password: 'passwordSet',
};
/** Acts that can be undone, or that only take access away. */
const HARMLESS = [
  ...['save', 'disable', 'enable', 'require-factor', 'resend-invitation', 'sign-out'],
  ...['end-session', 'revoke-grant', 'withdraw-consent', 'distrust-browser', 'revoke-undos'],
];
const EVENTS_SHOWN = '10';
const HOLDINGS_SHOWN = '20';

/** /console/users/{sub}: what the user holds, the profile, and the acts on the account. */
export const user: ConsolePage = {
  place: 'users',
  dangerous: { except: HARMLESS },
  show: context => view(context, undefined, NO_FAULTS),
  submit: async (context, form) => {
    const action = form.get('action') ?? '';
    if (action === 'save') return save(context, form);
    if (action === 'delete') return remove(context, form);
    const again = (faults: Faults) => view(context, undefined, faults);
    const performed = await act(context, action, form);
    const notice = NOTICES[action];
    return performed && notice
      ? answerForm(context, performed, { path: pathOf(context), notice }, again)
      : again(NO_FAULTS);
  },
};

async function act(
  { perform, performOnce, params, locale }: ConsoleContext,
  action: string,
  form: Params,
): Promise<Performed<unknown> | undefined> {
  const ended = ENDS[action];
  if (ended) return perform(ended, { params: { ...params, id: form.get('id') ?? '' } });
  switch (action) {
    case 'disable':
    case 'enable':
      return perform(updateUser, { body: { disabled: action === 'disable' } });
    case 'require-factor':
    case 'waive-factor':
      return perform(updateUser, { body: { require_mfa: action === 'require-factor' } });
    case 'reset-factors':
      return perform(resetUserFactors);
    case 'revoke-undos':
      return perform(revokeEmailUndos);
    case 'resend-invitation':
      return performOnce(resendInvitation);
    case 'sign-out':
      return perform(signOutUser);
    case 'password': {
      const password = form.get('password');
      if (password !== undefined) return perform(setUserPassword, { body: { password } });
      return { kind: 'faults', faults: new Map([['password', userText[locale].passwordMissing]]) };
    }
  }
  return undefined;
}

async function save(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const current = await context.perform<User>(getUser);
  if (current.kind !== 'done') return refusalOf(current);
  const typed = typedUser(form, await definedIn(context));
  const body = userChanges(current.value, typed);
  const saved = await context.perform(updateUser, { body }, form.get('etag'));
  return answerForm(context, saved, { path: pathOf(context), notice: 'saved' }, faults => view(context, typed, faults));
}

async function remove(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const current = await context.perform<User>(getUser);
  if (current.kind !== 'done') return refusalOf(current);
  const again = (faults: Faults) => view(context, undefined, faults);
  if (form.get('confirm') !== current.value.username) {
    return again(new Map([['confirm', userText[context.locale].wrongName]]));
  }
  const next = { path: '/console/users', notice: 'deleted' } as const;
  return answerForm(context, await context.perform(deleteUser), next, again);
}

function pathOf({ params }: ConsoleContext): string {
  return `/console/users/${encodeURIComponent(params.sub ?? '')}`;
}

/** `typed`: what was sent with faults stays in the form. */
async function view(context: ConsoleContext, typed: UserValues | undefined, faults: Faults): Promise<View | Refusal> {
  const { locale, perform, may } = context;
  const sub = context.params.sub ?? '';
  const found = await perform<User>(getUser);
  if (found.kind !== 'done') return refusalOf(found);
  const list = <Row>(id: AnyOperation, name: string) => perform<Listed<Row>>(id, { query: pageQuery(context, name) });
  const events = (query: Readonly<Record<string, string>>) =>
    perform<Listed<EventView>>(listEvents, { query: { user: sub, ...query } });
  const [defined, sessions, grants, consents, factors, browsers, links, undos, logins, recent] = await Promise.all([
    definedIn(context),
    list<SessionRow>(listUserSessions, 'sessions'),
    list<GrantRow>(listUserGrants, 'grants'),
    list<ConsentRow>(listUserConsents, 'consents'),
    perform<Listed<FactorRow>>(listUserFactors),
    perform<Listed<TrustedBrowserRow>>(listTrustedBrowsers),
    perform<Listed<UserLinkRow>>(listUserLinks),
    perform<Listed<EmailUndoRow>>(listEmailUndos),
    events({ type: 'user.login.succeeded', limit: '100' }),
    events({ limit: EVENTS_SHOWN }),
  ]);
  if (sessions.kind !== 'done') return refusalOf(sessions);
  if (grants.kind !== 'done') return refusalOf(grants);
  if (consents.kind !== 'done') return refusalOf(consents);
  if (factors.kind !== 'done') return refusalOf(factors);
  if (browsers.kind !== 'done') return refusalOf(browsers);
  if (links.kind !== 'done') return refusalOf(links);
  if (undos.kind !== 'done') return refusalOf(undos);
  if (logins.kind !== 'done') return refusalOf(logins);
  if (recent.kind !== 'done') return refusalOf(recent);
  const text = userText[locale];
  return {
    title: found.value.name ?? found.value.username,
    crumbs: [[usersPlace[locale], '/console/users']],
    chips: html`${userState(locale, found.value.disabled)}${found.value.name !== undefined && chip(found.value.username)}${copyable(locale, sub)}`,
    actions: may('operator') ? accountButtons(context, found.value) : undefined,
    status: faults.size === 0 ? 200 : 400,
    body: html`${faultSummary(locale, faults)}
${emailUndosSection(context, undos.value)}
${sessionsSection(context, sessions.value, logins.value.items)}
${grantsSection(context, grants.value)}
${consentsSection(context, consents.value)}
${eventsSection(context, recent.value.items)}
<div class="columns"><section><h2>${text.profile}</h2>${profileForm(context, { current: found.value, typed, defined }, faults)}</section>
<div>${factorsSection(context, factors.value, found.value.require_mfa, links.value.items.length > 0)}
${await linksSection(context, links.value.items)}
${trustedBrowsersSection(context, browsers.value)}
${may('operator') && dangers(context, found.value, faults)}</div></div>`,
  };
}

function pageQuery({ query }: ConsoleContext, name: string): Readonly<Record<string, string>> {
  const cursor = query.get(name);
  return cursor === undefined ? { limit: HOLDINGS_SHOWN } : { limit: HOLDINGS_SHOWN, cursor };
}

/** A file is the answer (people/my-data/export.console.ts), so the form has an address of its own. */
function exportButton(label: string, sub: string): Html {
  return html`<form method="post" action="/console/users/${encodeURIComponent(sub)}/export" class="act"><button type="submit" class="quiet">${label}</button></form>`;
}

function accountButtons({ locale, services }: ConsoleContext, { sub, disabled, has_password, email }: User): Html {
  const text = userText[locale];
  const canInvite = services.config.mail !== undefined && !disabled && !has_password && email !== undefined;
  const invitation = { action: 'resend-invitation', label: text.resend, once: onceField(services) };
  const state = disabled ? { action: 'enable', label: text.enable } : { action: 'disable', label: text.disable };
  return html`<div class="actions">${canInvite && actionButton(invitation)}${exportButton(text.exportData, sub)}${actionButton({ action: 'sign-out', label: text.signOut })}${actionButton(state)}</div>`;
}

interface ShownProfile {
  readonly current: User;
  readonly typed: UserValues | undefined;
  readonly defined: readonly UserAttribute[];
}

function profileForm({ locale, may }: ConsoleContext, { current, typed, defined }: ShownProfile, faults: Faults) {
  const save = html`<button type="submit">${consoleText[locale].save}</button>`;
  return html`<form method="post"><input type="hidden" name="action" value="save"><input type="hidden" name="etag" value="${etagOf(current)}">
${userFields(locale, typed ?? current, faults, defined)}${may('operator') && save}</form>`;
}

function dangers({ locale }: ConsoleContext, { username }: User, faults: Faults): Html {
  const text = userText[locale];
  const password = { name: 'password', label: text.passwordLabel, hint: text.passwordHint, kind: 'password' } as const;
  return html`<section><h2>${text.password}</h2><form method="post"><input type="hidden" name="action" value="password">
${field({ ...password, autocomplete: 'new-password', required: true }, faults)}<button type="submit" class="quiet">${text.passwordButton}</button></form></section>
<section><h2>${text.remove}</h2><p>${text.removal}</p>${confirmByName(locale, username, 'delete', text.removeButton, faults)}</section>`;
}
