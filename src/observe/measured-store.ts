import type { Store } from '../store/store.ts';
import type { StoreTimes } from './instruments.ts';

type Operation = {
  [Name in keyof Store]: Store[Name] extends (...args: never[]) => Promise<unknown> ? Name : never;
}[keyof Store];

type Timed = Exclude<Operation, 'close'>;

/** All of them, and the compiler says so when one is missing. */
const operations: Readonly<Record<Timed, true>> = {
  addCode: true,
  addConsent: true,
  addGrant: true,
  addSigningKey: true,
  changePassword: true,
  applicationCodes: true,
  check: true,
  clientsOf: true,
  consentsOf: true,
  deleteClient: true,
  dropSigningKeys: true,
  disableUser: true,
  enableUser: true,
  endSession: true,
  endUserAccess: true,
  findAccessToken: true,
  findAccount: true,
  findApplication: true,
  findClient: true,
  findRefreshToken: true,
  findTokenUser: true,
  finishLogoutNotice: true,
  grantsOf: true,
  isClientOrigin: true,
  isEmpty: true,
  lastCompletePurge: true,
  missingKeys: true,
  noteSessionClient: true,
  openSession: true,
  postponeLogoutNotice: true,
  provision: true,
  passwordHashFrom: true,
  purge: true,
  redeemCode: true,
  registryVersion: true,
  replacePasswordHash: true,
  noteKeySigned: true,
  retireUnusedKeys: true,
  revokeAccessToken: true,
  revokeRefreshToken: true,
  rotateRefreshToken: true,
  secretsInUse: true,
  sessionsOf: true,
  signingAlgs: true,
  signingKeys: true,
  takeLogoutNotices: true,
  updateProfile: true,
  useSession: true,
  withdrawConsent: true,
};

/** The same store, with the time of every operation noted. The caller gets the store's own promise: nobody waits longer. */
export function measuredStore(store: Store, times: StoreTimes): Store {
  const measured = Object.keys(operations).map(name => {
    const operation = store[name as Timed] as (...args: unknown[]) => Promise<unknown>;
    const entry = times.of(name);
    const timed = (...args: unknown[]) => {
      const began = performance.now();
      const outcome = operation.apply(store, args);
      const note = () => entry.times.observe(performance.now() - began);
      outcome.then(note, () => {
        entry.failed++;
        note();
      });
      return outcome;
    };
    return [name, timed];
  });
  const rest: Omit<Store, Timed> = {
    load: () => store.load(),
    onRegistryChange: listener => store.onRegistryChange(listener),
    close: () => store.close(),
    clock: store.clock,
  };
  return { ...(Object.fromEntries(measured) as Pick<Store, Timed>), ...rest };
}
