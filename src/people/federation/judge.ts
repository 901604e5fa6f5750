import type { Provider } from '../../directory/providers/rules.ts';
import { hasVerifiedEmail } from '../../directory/users/claims.rules.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import type { Account } from '../../directory/users/store.ts';
import type { Services } from '../../services.ts';
import { type Person, personOf } from './account.ts';
import type { Identity } from './connector.ts';
import { type SaidFields, saidFields, saysVerified } from './person.rules.ts';
import { type Known, type Verdict, verdictOn } from './rules.ts';

/** What the rules say of a person, and from what. Nothing is written: a sign-in acts on it (resolve.ts), a trial shows it (trial.ts). */
export interface Judged {
  readonly said: SaidFields;
  readonly person: Person;
  readonly linked: Account | undefined;
  /** The account that has the address, unless the person is linked. */
  readonly owner: Account | undefined;
  readonly known: Known;
  readonly verdict: Verdict;
}

export async function judgePerson(
  { store }: Pick<Services, 'store'>,
  provider: Provider,
  { claims, subject, groups }: Identity,
  requiredSub: string | undefined,
): Promise<Judged> {
  const said = { ...saidFields(provider, claims), ...(groups && { groups }) };
  const person = personOf(provider, said);
  const linked = await store.findLinkedAccount({ provider: provider.id, subject });
  const name = person.email === undefined ? undefined : loginName(person.email);
  const owner = linked || name === undefined ? undefined : await store.findAccount(name);
  const known = {
    linked: linked && whatIsKnown(linked),
    owner: owner && {
      ...whatIsKnown(owner),
      hasThisVerified: hasVerifiedEmail(owner) && loginName(owner.email ?? '') === name,
    },
    isVerifiedThere: saysVerified(said),
    requiredSub,
  };
  return { said, person, linked, owner, known, verdict: verdictOn(provider, known) };
}

function whatIsKnown({ sub, disabled, deletionDue }: Account) {
  return { sub, disabled, isLeaving: deletionDue !== undefined };
}
