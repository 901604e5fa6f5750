import type { Store } from '../store/store.ts';
import type { StoreTimes } from './instruments.ts';

type Operation = {
  [Name in keyof Store]: Store[Name] extends (...args: never[]) => Promise<unknown> ? Name : never;
}[keyof Store];

type Timed = Exclude<Operation, 'close'>;

/** Every operation of the store that returns a promise. The type makes a missing one a compile error. */
const operations: Readonly<Record<Timed, true>> = {
  accountsAfter: true,
  noteNode: true,
  removeNode: true,
  listNodes: true,
  describeDatabase: true,
  queueLengths: true,
  newestKeysBefore: true,
  addPendingKeys: true,
  addCode: true,
  addConsent: true,
  addTokenFamily: true,
  addRefusals: true,
  addSigningKey: true,
  changePassword: true,
  applicationCodes: true,
  applicationsWithClient: true,
  check: true,
  clientIds: true,
  clientsOf: true,
  credentialsOf: true,
  consentsOf: true,
  deleteClient: true,
  describeAccessToken: true,
  describeCode: true,
  describeRefreshToken: true,
  describeUser: true,
  dropSigningKeys: true,
  endSession: true,
  endUserAccess: true,
  findAccessToken: true,
  findAccount: true,
  findApplication: true,
  findClient: true,
  findRefreshToken: true,
  findRefusal: true,
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
  pendingKeys: true,
  purge: true,
  redeemCode: true,
  registryVersion: true,
  replacePasswordHash: true,
  attemptSecondFactor: true,
  acceptTotpStep: true,
  spendRecoveryCode: true,
  secondFactorsOf: true,
  addTotp: true,
  replaceRecoveryCodes: true,
  totpKeysOfOtherSecrets: true,
  replaceTotpKey: true,
  removeTotp: true,
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
  trimRefusals: true,
  updateProfile: true,
  useSession: true,
  findAnswer: true,
  findApiKey: true,
  noteApiKeyUse: true,
  listApiKeys: true,
  changeApiKey: true,
  findOperator: true,
  listOperators: true,
  changeOperator: true,
  findStoredApplication: true,
  findLogo: true,
  listApplications: true,
  changeApplication: true,
  listClients: true,
  changeClient: true,
  removeDeletedApplications: true,
  findWebhook: true,
  listWebhooks: true,
  changeWebhook: true,
  webhookWork: true,
  countWaitingDeliveries: true,
  enqueueDeliveries: true,
  takeDeliveries: true,
  finishDelivery: true,
  failDelivery: true,
  listDeliveries: true,
  findDelivery: true,
  requestDelivery: true,
  addStatistics: true,
  listStatistics: true,
  recordEvents: true,
  listEvents: true,
  listRefusals: true,
  chainState: true,
  sealedEvents: true,
  sealEvents: true,
  pruneEvents: true,
  withdrawConsent: true,
  listUsers: true,
  findUser: true,
  changeUser: true,
  importUsers: true,
  checkImport: true,
  userSessions: true,
  userGrants: true,
  userConsents: true,
  userFactors: true,
  endUserSession: true,
  revokeUserGrant: true,
  withdrawUserConsent: true,
  removeUserFactor: true,
  resetUserFactors: true,
  signOutUser: true,
  addMail: true,
  takeMails: true,
  finishMail: true,
  postponeMail: true,
  countWaitingMails: true,
  startPasswordReset: true,
  findPasswordReset: true,
  resetPassword: true,
};

/** Wraps the store so that the duration of every operation is recorded. The caller gets the store's own promise: no extra wait. */
export function measuredStore(store: Store, times: StoreTimes): Store {
  const measured = Object.keys(operations).map(name => {
    const operation = store[name as Timed] as (...args: unknown[]) => Promise<unknown>;
    const entry = times.addOperation(name);
    const timed = (...args: unknown[]) => {
      const startedAt = performance.now();
      const outcome = operation.apply(store, args);
      const record = () => entry.times.observe(performance.now() - startedAt);
      outcome.then(record, () => {
        entry.failed++;
        record();
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
