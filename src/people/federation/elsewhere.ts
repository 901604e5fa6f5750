import type { Provider } from '../../directory/providers/rules.ts';
import { PAUSED } from '../../directory/providers/state.rules.ts';
import type { Elsewhere, FaultElsewhere, PersonElsewhere } from '../password/authenticate.ts';
import { connected } from './begin.ts';
import { countsEntries } from './entry-attempts.ts';
import { type OfferPlace, offeredAt } from './offered.ts';
import type { TypedPassword } from './password-checker.ts';

export interface ElsewhereOptions {
  /** A person of it is being linked to an account here, which has to be proved by another way. */
  readonly except?: string | undefined;
  /** Of the caller. */
  readonly address: string;
}

/** Its providers are asked in a browser alone: no password counts there. */
const NO_PASSWORDS: Elsewhere = { takesLocal: false, check: async () => undefined };

/** The providers of an application that know passwords, in its order. Undefined: it has none, and nothing is different. */
export async function elsewhereAt(
  place: OfferPlace,
  username: string,
  { except, address }: ElsewhereOptions,
): Promise<Elsewhere | undefined> {
  const { directories, local } = await offeredAt(place);
  if (directories.length === 0 && !local && except === undefined) return NO_PASSWORDS;
  const asked = directories.filter(({ id }) => id !== except);
  if (asked.length === 0) return undefined;
  return {
    takesLocal: local,
    async check(password, account, browser) {
      let fault: FaultElsewhere | undefined;
      for (const provider of asked) {
        const countEntry = countsEntries(place.services, provider.id, { address, browser });
        const found = await askOne(place, provider, { username, password, account, countEntry });
        if (found?.kind === 'elsewhere') return found;
        // That one could not be asked is more than that another refuses.
        if (found && (fault === undefined || fault.kind === 'wrong')) fault = found;
      }
      return fault;
    },
  };
}

type Typed = Pick<TypedPassword, 'username' | 'password' | 'account' | 'countEntry'>;

async function askOne(
  { services }: OfferPlace,
  registered: Provider,
  typed: Typed,
): Promise<PersonElsewhere | FaultElsewhere | undefined> {
  const { id } = registered;
  if (!services.providerHealth.isAvailable(id)) {
    return { id, kind: 'unavailable', reason: PAUSED };
  }
  const provider = connected({ services }, registered);
  const load = services.tables.passwordCheckers.get(provider.type);
  if (!load) throw new Error(`no capability checks passwords with providers of the type ${provider.type}`);
  const checker = await load();
  const checked = await checker.check({ services, provider, ...typed });
  services.providerHealth.note(id, checked.kind !== 'failed' || checked.fault.kind !== 'unavailable');
  switch (checked.kind) {
    case 'identified':
      return { kind: 'elsewhere', provider, identity: checked.identity, takesOver: checker.takesOver === true };
    case 'failed': {
      const { kind, reason } = checked.fault;
      return { id, kind, reason };
    }
    case 'refused':
      return checked.isKnown ? { id, kind: 'wrong', reason: checked.reason } : undefined;
  }
}
