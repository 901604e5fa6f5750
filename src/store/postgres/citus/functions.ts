import type { DelegatedFunction } from './delegated.ts';
import { addCode, addExchanged, addGrant } from './issuing.ts';
import { findAccessToken, findTokenUser } from './lookups.ts';
import { findCodeOnly, redeem, redeemForApi } from './redemption.ts';
import { dropExchangedOfClient, revokeAccess, revokeFamily, revokeReplayed } from './revocation.ts';
import { findFamilyOnly, repeat, repeatForApi, rotate, rotateForApi } from './rotation.ts';

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
