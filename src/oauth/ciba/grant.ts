import { polledGrant } from '../polled-grant/grant.ts';

/** Section 10.1: the client polls until the person has approved it at /account/approvals, or asks once after the ping. */
export const backchannel = polledGrant<'authenticated'>({
  parameter: 'auth_req_id',
  callers: ['authenticated'],
  operations: store => ({ poll: store.pollBackchannelRequest, redeem: store.redeemBackchannelRequest }),
  failures: {
    pending: 'authorizationPending',
    unknown: 'authReqIdInvalid',
    invalid: 'authReqIdInvalid',
    redeemed: 'authReqIdRedeemed',
    expired: 'authReqIdExpired',
    denied: 'approvalDenied',
    slowDown: 'slowDown',
    userNotAllowed: 'approvalUserNotAllowed',
  },
});
