import type { Provider } from '../../directory/providers/rules.ts';
import { userAttributes } from '../../directory/user-attributes/queries.ts';
import {
  type Attributes,
  type AttributeValue,
  attributeFaults,
  type UserAttribute,
  valueFault,
} from '../../directory/user-attributes/rules.ts';
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
  const attributes = await attributesOf(store, said);
  const bare = personOf(provider, said);
  const person = attributes ? { ...bare, changes: { ...bare.changes, attributes } } : bare;
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

const PREFIX = 'attributes.';

/** Users' own fields, by `claims: { "attributes.department": department }`. What does not fit its definition is left out, as other claims are. */
async function attributesOf(store: Services['store'], said: SaidFields): Promise<Attributes | undefined> {
  const named = Object.entries(said).filter(([name]) => name.startsWith(PREFIX));
  if (named.length === 0) return undefined;
  const defined = await userAttributes(store.cold);
  const values = named.flatMap(([field, value]) => {
    const name = field.slice(PREFIX.length);
    const attribute = defined.find(one => one.name === name);
    if (!attribute) return [];
    const fitting = asTyped(attribute, value);
    return valueFault(attribute, fitting) === undefined ? [[name, fitting as AttributeValue] as const] : [];
  });
  const attributes = Object.fromEntries(values);
  return values.length > 0 && attributeFaults(defined, attributes).length === 0 ? attributes : undefined;
}

/** Directories and SAML know texts alone, and a single value of a list is none. */
function asTyped({ type }: UserAttribute, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'list') return [value];
  if (type === 'number' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value)) return Number(value);
  if (type === 'boolean' && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  return value;
}

function whatIsKnown({ sub, disabled, deletionDue }: Account) {
  return { sub, disabled, isBeingDeleted: deletionDue !== undefined };
}
