import * as otpauth from 'otpauth';
import type { FixedClock } from './clock.ts';

/** The authenticator app of a user, by a library that others wrote. */
export interface Authenticator {
  readonly secret: string;
  /** The code that the app shows now, or some steps of 30 s later. */
  code(later?: number): string;
  /** A code that it does not show around now. */
  wrongCode(): string;
}

export const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

export function anAuthenticator(clock: Pick<FixedClock, 'now'>, secret = TOTP_SECRET): Authenticator {
  const app = new otpauth.TOTP({ secret: otpauth.Secret.fromBase32(secret.replaceAll(' ', '')) });
  const code = (later = 0) => app.generate({ timestamp: (clock.now() + later * 30) * 1000 });
  return {
    secret,
    code,
    wrongCode: () => {
      const shown = [-2, -1, 0, 1, 2].map(code);
      return ['000000', '111111', '222222', '333333', '444444', '555555'].find(each => !shown.includes(each)) ?? '';
    },
  };
}
