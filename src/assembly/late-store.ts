import type { IdempotentAnswers } from '../audit/acts/store.ts';
import type { UserAdministration, UserHoldings, Users } from '../directory/users/store.ts';
import type { ClientRegistrations } from '../oauth/registration/store.ts';
import type { Provisioning } from '../operators/apply/store.ts';
import type { Operators } from '../operators/roles/store.ts';
import type { EmailConfirmations } from '../people/email/store.ts';
import type { EmailUndos } from '../people/email/undo.store.ts';
import type { BrowserNotices } from '../people/known-browsers/store.ts';
import type { Links } from '../people/linking/store.ts';
import type { AccountDeletions } from '../people/my-data/store.ts';
import type { Passkeys } from '../people/passkey/store.ts';
import type { PasswordResets } from '../people/password/resets.store.ts';
import type { Credentials } from '../people/password/store.ts';
import type { SecondFactors } from '../people/second-factor/store.ts';
import type { TrustedBrowsers } from '../people/trusted-browsers/store.ts';
import { latePart } from '../platform/store/late-part.ts';
import type { ColdDatabase } from '../platform/store/steps.ts';

/** The parts of both stores that neither a start, nor a job, nor a token request needs. */
export function lateParts(cold: ColdDatabase) {
  return {
    ...latePart<Provisioning>({ provision: true, accountsAfter: true }, async () =>
      (await import('../operators/apply/queries.ts')).coldProvisioning(cold),
    ),
    ...latePart<Omit<Users, 'findAccount'>>({ updateProfile: true }, async () =>
      (await import('../directory/users/changes.queries.ts')).coldUsers(cold),
    ),
    ...latePart<Omit<Credentials, 'passwordHashFrom'>>(
      { replacePasswordHash: true, changePassword: true, replacePassword: true },
      async () => (await import('../people/password/credentials.queries.ts')).coldCredentials(cold),
    ),
    ...latePart<UserAdministration>(
      { listUsers: true, findUser: true, findUsers: true, changeUser: true, importUsers: true, checkImport: true },
      async () => (await import('../directory/users/queries.ts')).coldUserAdministration(cold),
    ),
    ...latePart<UserHoldings>(
      {
        userSessions: true,
        userGrants: true,
        userConsents: true,
        userFactors: true,
        endUserSession: true,
        revokeUserGrant: true,
        withdrawUserConsent: true,
        removeUserFactor: true,
        resetUserFactors: true,
        withdrawTrustedBrowser: true,
        signOutUser: true,
      },
      async () => (await import('../directory/users/holdings.queries.ts')).coldUserHoldings(cold),
    ),
    ...latePart<Omit<AccountDeletions, 'dueDeletions'>>(
      { scheduleDeletion: true, keepAccount: true, deleteDueAccount: true },
      async () => (await import('../people/my-data/queries.ts')).coldAccountDeletions(cold),
    ),
    ...latePart<Operators>(
      {
        findApiKey: true,
        noteApiKeyUse: true,
        listApiKeys: true,
        changeApiKey: true,
        findOperator: true,
        listOperators: true,
        changeOperator: true,
      },
      async () => (await import('../operators/roles/queries.ts')).coldOperators(cold),
    ),
    ...latePart<IdempotentAnswers>({ findAnswer: true }, async () =>
      (await import('../audit/acts/queries.ts')).coldIdempotentAnswers(cold),
    ),
    ...latePart<SecondFactors>(
      {
        attemptSecondFactor: true,
        acceptTotpStep: true,
        spendRecoveryCode: true,
        secondFactorsOf: true,
        addTotp: true,
        replaceRecoveryCodes: true,
        totpKeysOfOtherSecrets: true,
        replaceTotpKey: true,
        removeTotp: true,
      },
      async () => (await import('../people/second-factor/queries.ts')).coldSecondFactors(cold),
    ),
    ...latePart<TrustedBrowsers>(
      { trustBrowser: true, isTrustedBrowser: true, trustedBrowsersOf: true, distrustBrowser: true },
      async () => (await import('../people/trusted-browsers/queries.ts')).coldTrustedBrowsers(cold),
    ),
    ...latePart<BrowserNotices>({ noteNewBrowser: true }, async () =>
      (await import('../people/known-browsers/queries.ts')).coldBrowserNotices(cold),
    ),
    ...latePart<Passkeys>(
      {
        passkeysOf: true,
        passkeysOfUsers: true,
        findPasskey: true,
        usePasskey: true,
        addPasskey: true,
        renamePasskey: true,
        removePasskey: true,
      },
      async () => (await import('../people/passkey/queries.ts')).coldPasskeys(cold),
    ),
    ...latePart<Links>(
      {
        findLinkedAccount: true,
        linksOf: true,
        linksOfUsers: true,
        linkUser: true,
        createLinkedUser: true,
        unlinkUser: true,
        noteLinkUsed: true,
      },
      async () => (await import('../people/linking/queries.ts')).coldLinks(cold),
    ),
    ...latePart<PasswordResets>({ startPasswordReset: true, findPasswordReset: true, resetPassword: true }, async () =>
      (await import('../people/password/resets.queries.ts')).coldPasswordResets(cold),
    ),
    ...latePart<Omit<ClientRegistrations, 'removeUnusedClients'>>(
      {
        noteClientUse: true,
        registerClient: true,
        findRegistration: true,
        listInitialAccessTokens: true,
        findInitialAccessToken: true,
        changeInitialAccessToken: true,
      },
      async () => (await import('../oauth/registration/queries.ts')).coldClientRegistrations(cold),
    ),
    ...latePart<EmailConfirmations>(
      {
        startEmailConfirmation: true,
        findEmailConfirmation: true,
        emailStateOf: true,
        attemptEmailCode: true,
        createConfirmedUser: true,
        confirmEmail: true,
      },
      async () => (await import('../people/email/queries.ts')).coldEmailConfirmations(cold),
    ),
    ...latePart<EmailUndos>(
      { findEmailUndo: true, undoEmailChange: true, emailUndosOf: true, revokeEmailUndos: true },
      async () => (await import('../people/email/undo.queries.ts')).coldEmailUndos(cold),
    ),
  };
}
