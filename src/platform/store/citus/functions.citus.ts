import { findCodeOnly, redeem, redeemForApi } from '../../../oauth/authorization-code/citus.ts';
import { findFamilyOnly, repeat, repeatForApi, rotate, rotateForApi } from '../../../oauth/refresh/citus.ts';
import { dropExchangedOfClient, revokeAccess, revokeFamily, revokeReplayed } from '../../../oauth/revoke/citus.ts';
import { addCode, addExchanged, addGrant } from '../../../oauth/token/citus.ts';
import { findAccessToken, findTokenUser } from '../../../oauth/token/lookups.citus.ts';
import type { DelegatedFunction } from './delegated.ts';

/** Every function that `gatehouse migrate` creates on the cluster. */
export const delegatedFunctions: readonly DelegatedFunction[] = [
  addCode,
  addGrant,
  addExchanged,
  findAccessToken,
  findTokenUser,
  redeem,
  redeemForApi,
  findCodeOnly,
  rotate,
  rotateForApi,
  findFamilyOnly,
  repeat,
  repeatForApi,
  revokeAccess,
  revokeFamily,
  revokeReplayed,
  dropExchangedOfClient,
];
