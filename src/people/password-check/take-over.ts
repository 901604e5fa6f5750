import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import type { Account } from '../../directory/users/store.ts';
import type { Services } from '../../services.ts';
import type { ConnectedProvider, Identity } from '../federation/connector.ts';
import { UNCOUNTED_ENTRY } from '../federation/entry-attempts.ts';
import { noteUse, type Resolved, resolvePerson, type SignInPlace } from '../federation/resolve.ts';
import { linkPerson } from '../linking/link-person.ts';
import type { LinkKey } from '../linking/rules.ts';
import type { PersonElsewhere } from '../password/authenticate.ts';
import { passwordCheck } from './password-checker.ts';
import { hasMoved, movePassword } from './queries.ts';

interface Typed {
  readonly username: string;
  readonly password: string;
}

/** `changed`: the person has moved before, and has another password here now. That of the old system counts no more. */
export type Taken = Resolved | { readonly kind: 'changed'; readonly sub: string };

/** Of a directory, or of an old system that gives the password away. */
export function resolveElsewhere(
  place: SignInPlace,
  { provider, identity, takesOver }: PersonElsewhere,
  typed: Typed,
): Promise<Taken> {
  return takesOver ? takeOver(place, provider, identity, typed) : resolvePerson(place, provider, identity);
}

/** Whose account it is, and its password, which the old system has just said is right. */
export async function takeOver(
  place: SignInPlace,
  provider: ConnectedProvider,
  identity: Identity,
  typed: Typed,
): Promise<Taken> {
  const waiting = await waitingAccount(place, provider, identity, typed);
  const resolved = waiting ?? (await resolvePerson(place, provider, identity));
  if (resolved.kind !== 'account') return resolved;
  await noteUse(place, resolved);
  const key = { provider: provider.id, subject: identity.subject };
  const account = await withPassword(place, key, resolved.account, typed);
  return account ? { kind: 'account', account } : { kind: 'changed', sub: resolved.account.sub };
}

async function waitingAccount(
  place: SignInPlace,
  connected: ConnectedProvider,
  { subject }: Identity,
  typed: Typed,
): Promise<Resolved | undefined> {
  const { services, target } = place;
  const { id: provider } = connected;
  const { username } = typed;
  const account = await accountThatWaits(services, { provider, subject }, username);
  if (!account || (target?.requiredSub !== undefined && target.requiredSub !== account.sub)) return undefined;
  if (!(await isSameSpelled(services, connected, subject, typed, account))) return undefined;
  if (account.disabled) return { kind: 'refused', reason: 'disabled' };
  const createdAt = services.clock.now();
  const link = { provider, subject, sub: account.sub, label: username.slice(0, 254), createdAt };
  const outcome = await linkPerson(place, account, link);
  return outcome === 'linked' || outcome === 'present' ? { kind: 'account', account } : undefined;
}

/**
 * Names here are the same in capitals; in the old system they can be two people's. So a name that was typed in another spelling than the account has
 * is asked about once more, as the account has it: it is the same person who has to answer to both.
 */
async function isSameSpelled(
  services: Services,
  provider: ConnectedProvider,
  subject: string,
  { username: typed, password }: Typed,
  account: Account,
): Promise<boolean> {
  const names = [account.username, account.email, account.phoneNumber].filter(name => name !== undefined);
  const username = names.find(name => loginName(name) === loginName(typed));
  if (username === undefined || username === typed) return true;
  const asked = { services, provider, username, password, account, countEntry: UNCOUNTED_ENTRY };
  const checked = await passwordCheck.check(asked);
  return checked.kind === 'identified' && checked.identity.subject === subject;
}

/**
 * An account that operators brought here before its person, by the name that was typed. It has no way in at all: no password, no passkey, no
 * link. With any of these it is somebody's already. A role here is nothing that another system has to give away.
 */
export async function accountThatWaits(
  { store }: Pick<Services, 'store'>,
  key: LinkKey,
  username: string,
): Promise<Account | undefined> {
  const name = loginName(username);
  const account = name === undefined ? undefined : await store.findAccount(name);
  if (!account || account.passwordHash !== undefined || account.hasPasskey) return undefined;
  const isSomebodys = (await store.findLinkedAccount(key)) || (await store.linksOf(account.sub)).length > 0;
  return isSomebodys || (await store.findOperator(account.sub)) ? undefined : account;
}

/**
 * Another sign-in of the same person may have been first: then its password is the one that counts. Who has moved does so once: a password
 * that was removed here, after a theft perhaps, must not come back from the old system.
 */
async function withPassword(
  { services, request, target }: SignInPlace,
  key: LinkKey,
  account: Account,
  { password }: Typed,
): Promise<Account | undefined> {
  const { store, passwords, clock } = services;
  const { sub } = account;
  if (account.passwordHash === undefined && !(await hasMoved(store.cold, key))) {
    const passwordHash = await passwords.hashInTurn(password);
    const event = requestEvent(services, request, {
      type: 'user.moved',
      outcome: 'success',
      actor: userActor(sub),
      subject: sub,
      app: target?.app,
      clientId: target?.client.client_id,
      details: { provider: key.provider },
    });
    const isMoved = await movePassword(store.cold, { ...key, sub }, passwordHash, clock.now(), { event });
    if (isMoved) return { ...account, passwordHash };
  }
  const present = await store.findAccount(loginName(account.username) ?? '');
  if (present?.sub !== sub || (await passwords.verify(password, present.passwordHash)) !== 'right') return undefined;
  return present;
}
