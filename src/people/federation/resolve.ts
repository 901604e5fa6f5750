import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import type { Account } from '../../directory/users/store.ts';
import { linkPerson } from '../linking/link-person.ts';
import type { NewLink } from '../linking/store.ts';
import type { Visit } from '../sign-in/visit.ts';
import { newAccounts, type Person } from './account.ts';
import type { ConnectedProvider, Identity } from './connector.ts';
import { judgePerson } from './judge.ts';
import type { Verdict } from './rules.ts';
import { updateProfileOf } from './update-profile.ts';

/** Whose account it is, by the rules of rules.ts; the store decides where two requests want the same. */
export type Resolved =
  | {
      readonly kind: 'account';
      readonly account: Account;
      /** The link that led here, for `noteUse`. Undefined: it is new. */
      readonly used?: Pick<NewLink, 'provider' | 'subject' | 'label'>;
    }
  /** Whoever owns the account with this address signs in to it. */
  | { readonly kind: 'prove'; readonly email: string; readonly sub: string }
  | { readonly kind: 'refused'; readonly reason: Extract<Verdict, { kind: 'refused' }>['reason'] };

/** Where the person signs in: a page, or the password grant. */
export interface SignInPlace extends Pick<Visit, 'services' | 'request' | 'locale'> {
  readonly target?:
    | {
        readonly app: string;
        readonly client: { readonly client_id: string };
        readonly requiredSub: string | undefined;
      }
    | undefined;
}

export async function resolvePerson(
  visit: SignInPlace,
  provider: ConnectedProvider,
  identity: Identity,
): Promise<Resolved> {
  const { services } = visit;
  const { store } = services;
  const { requiredSub } = visit.target ?? {};
  const { person, linked, owner, verdict } = await judgePerson(services, provider, identity, requiredSub);
  switch (verdict.kind) {
    case 'refused':
      return verdict;
    case 'prove': {
      // The account may be the person's own, which the other browser made after this one had looked for the link.
      const isLinked = await store.findLinkedAccount({ provider: provider.id, subject: identity.subject });
      if (isLinked) return resolvePerson(visit, provider, identity);
      return { kind: 'prove', email: person.email ?? '', sub: owner?.sub ?? '' };
    }
    case 'create':
      return createAccount(visit, provider, identity, person);
    case 'join': {
      const account = owner as Account;
      const outcome = await linkPerson(visit, account, linkFor(visit, provider.id, identity, person, account.sub));
      if (outcome === 'taken') return resolvePerson(visit, provider, identity);
      return outcome === 'linked' || outcome === 'present' ? { kind: 'account', account } : REFUSED;
    }
    case 'signedIn': {
      const account = linked as Account;
      const used = linkFor(visit, provider.id, identity, person, account.sub);
      return { kind: 'account', account: await updateProfileOf(visit, provider, account, person), used };
    }
  }
}

/** Apart from the decision: with what is written next it is one write to the disk. */
export async function noteUse({ services }: Pick<SignInPlace, 'services'>, resolved: Resolved): Promise<void> {
  if (resolved.kind !== 'account' || !resolved.used) return;
  const { provider, subject, label } = resolved.used;
  await services.store.noteLinkUsed({ provider, subject }, label, services.clock.now());
}

const REFUSED = { kind: 'refused', reason: 'disabled' } as const;

/** With the first of its names that is free. */
async function createAccount(
  visit: SignInPlace,
  provider: ConnectedProvider,
  identity: Identity,
  person: Person,
): Promise<Resolved> {
  const { services, request } = visit;
  for (const account of await newAccounts(services, provider.id, person)) {
    const { sub } = account;
    const event = requestEvent(services, request, {
      type: 'user.created',
      outcome: 'success',
      actor: userActor(sub),
      subject: sub,
      app: visit.target?.app,
      details: { reason: 'provider', provider: provider.id },
    });
    const outcome = await services.store.createLinkedUser(
      linkFor(visit, provider.id, identity, person, sub),
      account,
      event,
    );
    if (outcome === 'created') return { kind: 'account', account };
    if (outcome === 'gone') return REFUSED;
    // The other browser of the same person was first.
    if (outcome === 'taken') return resolvePerson(visit, provider, identity);
    // The address got an account meanwhile: the next look finds it.
    const isAddress = account.email !== undefined && outcome.loginName === loginName(account.email);
    if (isAddress) return resolvePerson(visit, provider, identity);
  }
  throw new Error('a random user name was taken');
}

const MAX_LABEL_LENGTH = 254;

export function linkFor(
  { services }: SignInPlace,
  provider: string,
  { subject }: Identity,
  { username, email }: Person,
  sub: string,
): NewLink {
  const label = (email ?? username)?.slice(0, MAX_LABEL_LENGTH);
  return { provider, subject, sub, label, createdAt: services.clock.now() };
}
