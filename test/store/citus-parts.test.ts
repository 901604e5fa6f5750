/**
 * An application that is spread over parts keeps the contract: what is issued in a part is found, rotated, listed and ended as
 * elsewhere. On a PostgreSQL without Citus, as test/store/citus-functions; `npm run test:citus` has clusters.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { stopOwnServer } from '../build/postgres.ts';
import { openInCitusForms } from './citus-forms.ts';
import { applicationsContract } from './contract/applications.ts';
import { clientRegistrationsContract } from './contract/client-registrations.ts';
import { clientTokensContract } from './contract/client-tokens.ts';
import { codesContract } from './contract/codes.ts';
import { consentsContract } from './contract/consents.ts';
import { deviceAuthorizationsContract } from './contract/device-authorizations.ts';
import { credentialKey, keepKeysInPart, NOW } from './contract/given.ts';
import { historiesContract } from './contract/histories.ts';
import { isolationContract } from './contract/isolation.ts';
import { provisioningContract } from './contract/provisioning.ts';
import { refreshFamiliesContract } from './contract/refresh-families.ts';
import { refreshTokensContract } from './contract/refresh-tokens.ts';
import { refusalsContract } from './contract/refusals.ts';
import { removalsContract } from './contract/removals.ts';
import { secondFactorsContract } from './contract/second-factors.ts';
import { sessionEndContract } from './contract/session-end.ts';
import { tokenExchangesContract } from './contract/token-exchanges.ts';
import { tokensContract } from './contract/tokens.ts';
import { userAccessContract } from './contract/user-access.ts';
import { userDeletionContract } from './contract/user-deletion.ts';
import { userHoldingsContract } from './contract/user-holdings.ts';

after(stopOwnServer);

describe('an application that is spread over parts', () => {
  before(() => keepKeysInPart(3));
  after(() => keepKeysInPart(undefined));

  it('is tested with keys that name a part', () => assert.equal(credentialKey(NOW).length, 39));
  codesContract(openInCitusForms);
  refreshTokensContract(openInCitusForms);
  refreshFamiliesContract(openInCitusForms);
  historiesContract(openInCitusForms);
  tokensContract(openInCitusForms);
  clientTokensContract(openInCitusForms);
  tokenExchangesContract(openInCitusForms);
  deviceAuthorizationsContract(openInCitusForms);
  isolationContract(openInCitusForms);
  sessionEndContract(openInCitusForms);
  userAccessContract(openInCitusForms);
  userHoldingsContract(openInCitusForms);
  userDeletionContract(openInCitusForms);
  secondFactorsContract(openInCitusForms);
  consentsContract(openInCitusForms);
  refusalsContract(openInCitusForms);
  applicationsContract(openInCitusForms);
  provisioningContract(openInCitusForms);
  clientRegistrationsContract(openInCitusForms);
  removalsContract(openInCitusForms);
});
