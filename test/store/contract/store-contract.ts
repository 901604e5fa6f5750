import { describe } from 'node:test';
import { accountDeletionsContract } from './account-deletions.ts';
import { applicationsContract } from './applications.ts';
import { clientRegistrationsContract } from './client-registrations.ts';
import { clientTokensContract } from './client-tokens.ts';
import { codesContract } from './codes.ts';
import { consentsContract } from './consents.ts';
import { deviceAuthorizationsContract } from './device-authorizations.ts';
import { emailConfirmationsContract } from './email-confirmations.ts';
import { emailUndosContract } from './email-undos.ts';
import { eventsContract } from './events.ts';
import { failedAttemptsContract } from './failed-attempts.ts';
import type { OpenStore } from './given.ts';
import { historiesContract } from './histories.ts';
import { importUsersContract } from './import-users.ts';
import { isolationContract } from './isolation.ts';
import { linksContract } from './links.ts';
import { mailsContract } from './mails.ts';
import { onceContract } from './once.ts';
import { operatorsAndFactorsContract } from './operators-and-factors.ts';
import { passkeysContract } from './passkeys.ts';
import { passwordResetsContract } from './password-resets.ts';
import { provisioningContract } from './provisioning.ts';
import { purgeContract } from './purge.ts';
import { pushedRequestsContract } from './pushed-requests.ts';
import { queueContract } from './queue.ts';
import { refreshFamiliesContract } from './refresh-families.ts';
import { refreshTokensContract } from './refresh-tokens.ts';
import { refusalsContract } from './refusals.ts';
import { removalsContract } from './removals.ts';
import { secondFactorsContract } from './second-factors.ts';
import { sessionEndContract } from './session-end.ts';
import { sessionLimitContract } from './session-limit.ts';
import { sessionReplacedContract } from './session-replaced.ts';
import { sessionsContract } from './sessions.ts';
import { signingKeysContract } from './signing-keys.ts';
import { statisticsContract } from './statistics.ts';
import { statusContract } from './status.ts';
import { tokenExchangesContract } from './token-exchanges.ts';
import { tokensContract } from './tokens.ts';
import { trustedBrowsersContract } from './trusted-browsers.ts';
import { userAccessContract } from './user-access.ts';
import { userAdministrationContract } from './user-administration.ts';
import { userChangesContract } from './user-changes.ts';
import { userDeletionContract } from './user-deletion.ts';
import { userHoldingsContract } from './user-holdings.ts';
import { userListsContract } from './user-lists.ts';
import { userSearchContract } from './user-search.ts';
import { usersContract } from './users.ts';
import { waitingRevocationsContract } from './waiting-revocations.ts';
import { webhookDeliveriesContract } from './webhook-deliveries.ts';
import { webhookFanOutContract } from './webhook-fan-out.ts';
import { webhooksContract } from './webhooks.ts';

/**
 * Everything src/store.ts promises, in two halves: PostgreSQL has a file for each, so that they run at the same time. Every store runs both;
 * nothing in them knows which store it is.
 */
export function accountsContract(name: string, open: OpenStore): void {
  describe(`the store contract on ${name}: applications and accounts`, () => {
    applicationsContract(open);
    onceContract(open);
    provisioningContract(open);
    pushedRequestsContract(open);
    deviceAuthorizationsContract(open);
    clientRegistrationsContract(open);
    removalsContract(open);
    signingKeysContract(open);
    usersContract(open);
    sessionsContract(open);
    sessionEndContract(open);
    sessionLimitContract(open);
    sessionReplacedContract(open);
    userAccessContract(open);
    userChangesContract(open);
    userListsContract(open);
    userSearchContract(open);
    userAdministrationContract(open);
    userDeletionContract(open);
    userHoldingsContract(open);
    accountDeletionsContract(open);
    secondFactorsContract(open);
    failedAttemptsContract(open);
    trustedBrowsersContract(open);
    passkeysContract(open);
    linksContract(open);
    importUsersContract(open);
    consentsContract(open);
    passwordResetsContract(open);
    operatorsAndFactorsContract(open);
    emailConfirmationsContract(open);
    emailUndosContract(open);
  });
}

export function tokensAndRecordsContract(name: string, open: OpenStore): void {
  describe(`the store contract on ${name}: tokens, deliveries and records`, () => {
    queueContract(open);
    mailsContract(open);
    waitingRevocationsContract(open);
    webhooksContract(open);
    webhookFanOutContract(open);
    webhookDeliveriesContract(open);
    codesContract(open);
    refreshTokensContract(open);
    refreshFamiliesContract(open);
    historiesContract(open);
    tokensContract(open);
    clientTokensContract(open);
    tokenExchangesContract(open);
    isolationContract(open);
    refusalsContract(open);
    purgeContract(open);
    eventsContract(open);
    statisticsContract(open);
    statusContract(open);
  });
}
