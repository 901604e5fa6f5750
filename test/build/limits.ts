import type { ThrottleLimits } from '../../src/platform/throttle/throttle.ts';

const PLENTY = { attempts: 1_000_000, refillSeconds: 1 };

/** The test sets the limits it is about; the others are never reached. */
export function limits(over: Partial<ThrottleLimits>): ThrottleLimits {
  const addresses = {
    loginAddress: PLENTY,
    clientAddress: PLENTY,
    operatorAddress: PLENTY,
    mailAddress: PLENTY,
    pushAddress: PLENTY,
    proofAddress: PLENTY,
    deviceAddress: PLENTY,
    userCodeAddress: PLENTY,
    documentAddress: PLENTY,
    registrationAddress: PLENTY,
  };
  const accounts = {
    login: PLENTY,
    account: PLENTY,
    pair: PLENTY,
    browser: PLENTY,
    dailyCodes: PLENTY,
    client: PLENTY,
    mailAccount: PLENTY,
    nameAccount: PLENTY,
    userCodeAccount: PLENTY,
    userCode: PLENTY,
    loginHint: PLENTY,
    approvalCode: PLENTY,
  };
  return { ...accounts, ...addresses, ...over };
}

let networks = 0;

/** The headers of a request from a network that nothing else in this file comes from: no test uses up the limits of another. Needs TRUSTED_PROXIES. */
export function elsewhere(): { readonly 'x-forwarded-for': string } {
  networks++;
  return { 'x-forwarded-for': `10.${networks >> 8}.${networks & 255}.1` };
}
