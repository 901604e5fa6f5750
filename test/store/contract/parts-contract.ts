/**
 * An application that is spread over parts (src/platform/store/application-parts.ts) keeps the contract: what is issued in a part is found,
 * rotated, listed and ended as elsewhere.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { backchannelRequestsContract } from './backchannel-requests.ts';
import { clientRegistrationsContract } from './client-registrations.ts';
import { clientTokensContract } from './client-tokens.ts';
import { codesContract } from './codes.ts';
import { consentsContract } from './consents.ts';
import { deviceAuthorizationsContract } from './device-authorizations.ts';
import { credentialKey, keepKeysInPart, NOW, type OpenStore } from './given.ts';
import { isolationContract } from './isolation.ts';
import { provisioningContract } from './provisioning.ts';
import { refreshTokensContract } from './refresh-tokens.ts';
import { refusalsContract } from './refusals.ts';
import { removalsContract } from './removals.ts';
import { secondFactorsContract } from './second-factors.ts';
import { sessionEndContract } from './session-end.ts';
import { tokenExchangesContract } from './token-exchanges.ts';
import { tokensContract } from './tokens.ts';
import { userAccessContract } from './user-access.ts';
import { userDeletionContract } from './user-deletion.ts';
import { userHoldingsContract } from './user-holdings.ts';

export function partsContract(open: OpenStore): void {
  describe('an application that is spread over parts', () => {
    before(() => keepKeysInPart(3));
    after(() => keepKeysInPart(undefined));

    it('is tested with keys that name a part', () => assert.equal(credentialKey(NOW).length, 39));
    codesContract(open);
    refreshTokensContract(open);
    tokensContract(open);
    clientTokensContract(open);
    tokenExchangesContract(open);
    deviceAuthorizationsContract(open);
    backchannelRequestsContract(open);
    isolationContract(open);
    sessionEndContract(open);
    userAccessContract(open);
    userHoldingsContract(open);
    userDeletionContract(open);
    secondFactorsContract(open);
    consentsContract(open);
    refusalsContract(open);
    provisioningContract(open);
    clientRegistrationsContract(open);
    removalsContract(open);
  });
}
