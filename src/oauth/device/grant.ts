import { polledGrant } from '../polled-grant/grant.ts';

/**
 * RFC 8628 section 3.4: a device polls until a person has approved it at /device. The device code is the only proof of a public client;
 * it is 256 random bits that only the device has seen.
 */
export const deviceCode = polledGrant<'authenticated' | 'public'>({
  parameter: 'device_code',
  callers: ['authenticated', 'public'],
  operations: store => ({ poll: store.pollDevice, redeem: store.redeemDevice }),
  failures: {
    pending: 'authorizationPending',
    unknown: 'deviceCodeInvalid',
    invalid: 'deviceCodeInvalid',
    redeemed: 'deviceCodeRedeemed',
    expired: 'deviceCodeExpired',
    denied: 'deviceDenied',
    slowDown: 'slowDown',
    userNotAllowed: 'deviceUserNotAllowed',
  },
});
