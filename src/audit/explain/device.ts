import { DEVICE_CODE_SECONDS } from '../../oauth/device/rules.ts';
import { POLL_INTERVAL_SECONDS } from '../../oauth/polled-grant/rules.ts';
import type { Topic } from './explanation.ts';
import { durationText, paramText } from './wording.ts';

/** The device authorization grant (RFC 8628), and the page /device. */
const LIFETIME = durationText(DEVICE_CODE_SECONDS);

/** Not kept, because every device gets it until a person decides. */
export const authorizationPending: Topic = ({ snapshot }) => ({
  expected: 'a device that a person has approved',
  received: paramText(snapshot, 'device_code'),
  difference: { kinds: ['pending'], text: 'Nobody has decided yet.' },
  fix: 'Poll again after the interval.',
});

export const slowDown: Topic = ({ snapshot }) => {
  const { pollInterval = POLL_INTERVAL_SECONDS } = snapshot.facts ?? {};
  return {
    expected: `at least ${durationText(pollInterval - POLL_INTERVAL_SECONDS)} between two polls`,
    received: 'a poll that came earlier',
    difference: { kinds: ['too-early'], text: `The interval is ${durationText(pollInterval)} from now on.` },
    fix: 'Add 5 seconds to the interval after each slow_down, poll with one request at a time, and use one device code in one program only.',
  };
};

export const deviceCodeExpired: Topic = ({ snapshot }) => ({
  expected: `a device code that is not older than ${LIFETIME}`,
  received: paramText(snapshot, 'device_code'),
  difference: { kinds: ['expired'], text: 'Nobody has approved or denied the device in this time.' },
  fix: 'Stop polling when expires_in has passed, send a new device authorization request, and show its user_code.',
});

export const deviceDenied: Topic = ({ snapshot }) => ({
  expected: 'a device that a person has approved',
  received: paramText(snapshot, 'device_code'),
  difference: {
    kinds: ['denied'],
    text: "The person has denied it or has no access to the application, or the person's access ended after the approval. The event device.denied says which of the first two.",
  },
  fix: 'Tell the person at the device, who can begin again.',
});

export const deviceCodeInvalid: Topic = context => {
  const { snapshot } = context;
  const isOfOtherClient = snapshot.facts?.isOfOtherClient === true;
  return {
    expected: `a device code that the application ${context.app} issued to this client: it begins with gdc_`,
    received: paramText(snapshot, 'device_code'),
    difference: isOfOtherClient
      ? { kinds: ['another-client'], text: 'The device code was issued to another client.' }
      : {
          kinds: ['unknown'],
          text: 'It was never issued by this application, or expired more than an hour ago.',
        },
    fix: isOfOtherClient
      ? 'Poll with the client that sent the device authorization request.'
      : 'Send the value of device_code unchanged, to the token endpoint of the application that issued it.',
  };
};

export const deviceCodeRedeemed: Topic = ({ snapshot }) => ({
  expected: 'a device code that has not given tokens yet',
  received: paramText(snapshot, 'device_code'),
  difference: { kinds: ['already-redeemed'], text: 'The device has got its tokens before. They stay valid.' },
  fix: 'Stop polling after the first answer with tokens, and poll with one request at a time.',
});

export const tooManyDeviceRequests: Topic = ({ snapshot }) => ({
  expected: 'at most 60 device authorization requests of clients without a secret from one address, one more every 5 s',
  received: 'one more',
  difference: { kinds: ['limit'], text: `More are taken in ${durationText(snapshot.retryAfter ?? 0)}.` },
  fix: 'Send one when a person begins to connect a device, not each time that a screen is shown.',
});

export const userCodeInvalid: Topic = ({ snapshot }) => ({
  expected: `the code of a device that has waited for less than ${LIFETIME}`,
  received: paramText(snapshot, 'user_code'),
  difference: { kinds: ['unknown'], text: 'No device waits with it: it is mistyped, too old, or was used.' },
  fix: 'The person types the code as the device shows it now, or begins again on the device.',
});

export const tooManyUserCodes: Topic = ({ snapshot }) => ({
  expected: 'at most 20 wrong codes from one address, 10 of one user, and 1,000 of all visitors who are not signed in',
  received: paramText(snapshot, 'user_code'),
  difference: { kinds: ['limit'], text: `The next one is looked up in ${durationText(snapshot.retryAfter ?? 0)}.` },
  fix: 'Wait. A person who signs in first, at /account, has a limit of their own. Many of these mean that somebody guesses.',
});
