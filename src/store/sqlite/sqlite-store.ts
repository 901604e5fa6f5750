import { coldAccountDeletions } from '../cold/account-deletions.ts';
import { coldIdempotentAnswers } from '../cold/acts.ts';
import { coldClientRegistrations } from '../cold/client-registrations.ts';
import { coldEmailConfirmations } from '../cold/email-confirmations.ts';
import { coldEmailUndos } from '../cold/email-undos.ts';
import { coldEvents } from '../cold/events.ts';
import { coldFailedAttempts } from '../cold/failed-attempts.ts';
import { coldMails } from '../cold/mails.ts';
import { coldOperators } from '../cold/operators.ts';
import { coldPasskeys } from '../cold/passkeys.ts';
import { coldPasswordResets } from '../cold/password-resets.ts';
import { coldProvisioning } from '../cold/provisioning.ts';
import { coldPushedRequests } from '../cold/pushed-requests.ts';
import { coldRefusals } from '../cold/refusals.ts';
import { coldSecondFactors } from '../cold/second-factors.ts';
import { coldSigningKeys } from '../cold/signing-keys.ts';
import { coldStatistics } from '../cold/statistics.ts';
import { coldStatus } from '../cold/status.ts';
import { coldTrustedBrowsers } from '../cold/trusted-browsers.ts';
import { coldUserAdministration } from '../cold/user-administration.ts';
import { coldUserHoldings } from '../cold/user-holdings.ts';
import { coldWaitingRevocations } from '../cold/waiting-revocations.ts';
import { coldDeliveries } from '../cold/webhook-deliveries.ts';
import { coldSubscriptions } from '../cold/webhooks.ts';
import type { Store } from '../store.ts';
import { MARK, UNFINISHED } from '../transfer.ts';
import { applications } from './applications.ts';
import { codes } from './codes.ts';
import { coldDatabase } from './cold-database.ts';
import { connect, type DatabaseOptions, openDatabase } from './connection/database.ts';
import { openingFault } from './connection/faults.ts';
import { consents } from './consents.ts';
import { credentials } from './credentials.ts';
import { deviceAuthorizations } from './device-authorizations.ts';
import { once } from './once.ts';
import { purger } from './purge.ts';
import { queue } from './queue.ts';
import { refreshTokens } from './refresh-tokens.ts';
import { sessions } from './sessions.ts';
import { tokenExchanges } from './token-exchanges.ts';
import { tokens } from './tokens.ts';
import { users } from './users.ts';

export function migrateSqlite(path: string, openMs: number): string[] {
  const { connection, ran } = connect(path, { openMs });
  connection.close();
  return ran;
}

/** The embedded store: one file, created and migrated when it is opened. */
export function openSqliteStore(path: string, options: DatabaseOptions = {}): Store {
  const db = openDatabase(path, options);
  try {
    if (db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(MARK)) throw new Error(UNFINISHED);
    const cold = coldDatabase(db);
    return {
      ...applications(db, cold),
      ...coldProvisioning(cold),
      ...coldUserAdministration(cold),
      ...coldUserHoldings(cold),
      ...coldAccountDeletions(cold),
      ...coldSigningKeys(cold),
      ...coldOperators(cold),
      ...coldIdempotentAnswers(cold),
      ...coldRefusals(cold),
      ...coldEvents(cold),
      ...coldStatistics(cold),
      ...coldStatus(cold),
      ...users(db, cold),
      ...credentials(db, cold),
      ...coldSecondFactors(cold),
      ...coldFailedAttempts(cold),
      ...coldTrustedBrowsers(cold),
      ...coldPasskeys(cold),
      ...sessions(db, cold),
      ...consents(db, cold),
      ...queue(db, cold),
      ...coldSubscriptions(cold),
      ...coldDeliveries(cold),
      ...coldMails(cold),
      ...coldWaitingRevocations(cold),
      ...coldPasswordResets(cold),
      ...coldPushedRequests(cold),
      ...deviceAuthorizations(db, cold),
      ...coldClientRegistrations(cold),
      ...coldEmailConfirmations(cold),
      ...coldEmailUndos(cold),
      ...codes(db),
      ...tokens(db),
      ...tokenExchanges(db),
      ...refreshTokens(db),
      ...once(db),
      ...purger(db),
      // The schema was checked when the file was opened. Only a later release changes it while this process runs.
      check: () => db.write(() => {}),
      load: () => ({ connections: 1, running: 0, waiting: db.waiting() }),
      cluster: () => undefined,
      clock: undefined,
      isSharedByNodes: false,
      close: db.close,
    };
  } catch (error) {
    void db.close();
    throw openingFault(path, error);
  }
}
