import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of the device authorization grant (RFC 8628 section 3.5), and of the page on which a person approves a device. */
export const errorsForDevices = {
  authorizationPending: {
    error: 'authorization_pending',
    status: 400,
    description: 'The user has not decided yet.',
    cause: 'Nobody has approved or denied the device so far.',
    fix: 'Poll again after the interval, until expires_in has passed.',
  },
  slowDown: {
    error: 'slow_down',
    status: 400,
    description: 'The device polls too often.',
    cause: 'Less time has passed since the last poll than the interval. The interval has grown by 5 seconds.',
    fix: 'Wait 5 seconds longer than before between two polls, from now on.',
  },
  deviceCodeExpired: {
    error: 'expired_token',
    status: 400,
    description: 'The device code has expired.',
    cause: 'Nobody has approved or denied the device within expires_in seconds.',
    fix: 'Send a new device authorization request, and show its user_code.',
  },
  deviceDenied: {
    error: 'access_denied',
    status: 400,
    description: 'The user has denied the request of the device.',
    cause:
      "The user has denied it, the application does not admit this user, or the user's access ended before the device got its tokens.",
    fix: 'Tell the person at the device. A new attempt needs a new device authorization request.',
  },
  deviceUserNotAllowed: {
    error: 'access_denied',
    status: 400,
    description: 'The user has no access to this application.',
    cause: 'The application has the setting access, and does not admit the user any more who approved the device.',
    fix: 'Tell the person at the device. An operator can give the user a group or role that the application admits.',
  },
  deviceCodeInvalid: {
    error: 'invalid_grant',
    status: 400,
    description: 'The device_code is invalid.',
    cause: 'This application has never issued the device code, or issued it to another client, or it expired long ago.',
    fix: 'Send the device_code unchanged, with the client and to the application that asked for it.',
  },
  deviceCodeRedeemed: {
    error: 'invalid_grant',
    status: 400,
    description: 'The device_code is invalid.',
    cause: 'The device has got its tokens before. A device code is good once.',
    fix: 'Stop polling after the first answer with tokens, and poll with one request at a time.',
  },
  tooManyDeviceRequests: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many device authorization requests. Try again later.',
    cause: 'A client without a secret has sent more of them from this network address than devices are likely to need.',
    fix: 'Send one when a person begins to connect a device. Wait as many seconds as the Retry-After header says.',
  },
  userCodeInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'No device waits with this code.',
    cause: 'The code was typed wrongly, has expired, or was used. The response does not say which.',
    fix: 'Type the code as the device shows it now.',
  },
  tooManyUserCodes: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many wrong codes. Try again later.',
    cause:
      'Too many codes of devices that do not exist were typed from this network address, by this user, or by all visitors together.',
    fix: 'Wait as many seconds as the Retry-After header says.',
  },
} as const satisfies Record<string, FailureDefinition>;
