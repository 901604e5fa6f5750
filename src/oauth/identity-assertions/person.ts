import { mayEnter } from '../../directory/access/rules.ts';
import type { Application } from '../../directory/applications/rules.ts';
import { hasVerifiedEmail } from '../../directory/users/claims.rules.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import type { Account } from '../../directory/users/store.ts';
import { allDirectories } from '../../people/federation/offered.ts';
import type { LinkKey } from '../../people/linking/rules.ts';
import { issuerOf, openidTypes } from '../../people/openid-connect/presets.rules.ts';
import type { Services } from '../../services.ts';
import { isSameAddress, type PersonFault, type ReadAssertion } from './rules.ts';

export interface NoPerson {
  readonly fault: PersonFault;
  /** Who was found and may not come in. For operators alone. */
  readonly sub?: string | undefined;
}

/**
 * Whose account an assertion is about. By the link of a provider that has its issuer; by an address only where the issuer is trusted for
 * these. No account and no link is made: nobody is there who could agree to it.
 */
export async function findPerson(
  services: Services,
  application: Application,
  assertion: ReadAssertion,
): Promise<Account | NoPerson> {
  const keys = await linkKeysOf(services, assertion);
  const linked = await linkedAccounts(services, keys);
  const found =
    assertion.issuer.subject === 'email' ? await byEmail(services, assertion, { keys, linked }) : byLink(keys, linked);
  return 'fault' in found ? found : admitted(services, application, found);
}

/** The person at each provider that is this issuer. Most deployments have one. */
async function linkKeysOf({ registry }: Services, { issuer, sub }: ReadAssertion): Promise<readonly LinkKey[]> {
  const isSame = (type: string) => (openidTypes as readonly string[]).includes(type);
  const providers = (await registry.providers()).filter(each => isSame(each.type) && issuerOf(each) === issuer.issuer);
  return providers.map(({ id }) => ({ provider: id, subject: sub }));
}

async function linkedAccounts({ store }: Services, keys: readonly LinkKey[]): Promise<readonly Account[]> {
  const found = await Promise.all(keys.map(key => store.findLinkedAccount(key)));
  const accounts = found.filter(account => account !== undefined);
  return accounts.filter(({ sub }, at) => accounts.findIndex(other => other.sub === sub) === at);
}

function byLink(keys: readonly LinkKey[], [account, ...others]: readonly Account[]): Account | NoPerson {
  if (keys.length === 0) return { fault: 'noProvider' };
  if (!account) return { fault: 'noLink' };
  return others.length > 0 ? { fault: 'severalLinks' } : account;
}

interface KnownLinks {
  readonly keys: readonly LinkKey[];
  readonly linked: readonly Account[];
}

/** An address is verified on both sides, and nothing that is known of the person speaks against it. */
async function byEmail(
  { store }: Services,
  { jwt: { claims } }: ReadAssertion,
  { keys, linked }: KnownLinks,
): Promise<Account | NoPerson> {
  const { email, email_verified: isVerified } = claims;
  if (typeof email !== 'string' || !email.includes('@')) return { fault: 'emailMissing' };
  if (isVerified !== true) return { fault: 'emailUnverifiedThere' };
  const name = loginName(email);
  // Login names are one name space: at most one account has it, perhaps as its user name.
  const owner = name === undefined ? undefined : await store.findAccount(name);
  if (!owner) return { fault: 'noAccount' };
  if (!hasVerifiedEmail(owner) || !isSameAddress(owner.email ?? '', email)) {
    return { fault: 'emailUnverifiedHere', sub: owner.sub };
  }
  if (linked.some(({ sub }) => sub !== owner.sub)) return { fault: 'linkedToOther', sub: owner.sub };
  const isKnown = linked.length > 0;
  const links = isKnown || keys.length === 0 ? [] : await store.linksOf(owner.sub);
  // The issuer has given the address to somebody else since.
  const isReassigned = links.some(({ provider }) => keys.some(key => key.provider === provider));
  return isReassigned ? { fault: 'otherLinked', sub: owner.sub } : owner;
}

/** The store looks once more, together with the write, whether the user is enabled. */
async function admitted(services: Services, application: Application, account: Account): Promise<Account | NoPerson> {
  const { sub } = account;
  if (account.disabled || account.deletionDue !== undefined) return { fault: 'disabled', sub };
  if (!mayEnter(application, account)) return { fault: 'notAllowed', sub };
  const directories = await allDirectories(services);
  if (directories.length === 0) return account;
  const { findGoneFrom } = await import('../../people/federation/recheck.ts');
  return (await findGoneFrom(services, sub, directories)) ? { fault: 'gone', sub } : account;
}
