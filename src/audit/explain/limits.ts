import { adviceOn } from '../../people/federation/advice.rules.ts';
import type { PasskeyFault, RefusalFacts } from '../refusals/facts.rules.ts';
import type { RowExplanation, Topic } from './explanation.ts';
import { durationText, paramText } from './wording.ts';

/** Passwords, limits, and the server itself. */

export const credentialsWrong: Topic = ({ snapshot }) => {
  const { found, sub } = snapshot;
  if (snapshot.facts?.isAccountExhausted) return accountExhausted(snapshot.sub);
  if (snapshot.facts?.provider) return refusedElsewhere(snapshot, snapshot.facts.provider);
  const isDisabled = found?.user === 'disabled';
  return {
    expected: 'the login name and the password of a user who is enabled',
    received: `${paramText(snapshot, 'username')}; ${paramText(snapshot, 'password')}`,
    difference:
      sub === undefined
        ? { kinds: ['unknown-user'], text: 'No user has this login name.' }
        : isDisabled
          ? { kinds: ['user-disabled'], text: `The user ${sub} exists and is disabled.` }
          : { kinds: ['wrong-password'], text: `The user ${sub} exists, and the password is another one.` },
    fix:
      sub === undefined
        ? 'Ask the user for the login name: user name, e-mail address or telephone number.'
        : isDisabled
          ? 'Enable the user, if that is wanted.'
          : 'Ask the user to try again, or set a new password. The answer to the client never says which it was.',
  };
};

/** Accounts here come first, then the directories of the application. */
function refusedElsewhere(
  snapshot: Parameters<Topic>[0]['snapshot'],
  { id, reason }: NonNullable<RefusalFacts['provider']>,
): RowExplanation {
  const { fix } = adviceOn({ kind: 'wrong', reason });
  return {
    expected: `the password of an account here, or of a person of ${id}`,
    received: `${paramText(snapshot, 'username')}; ${paramText(snapshot, 'password')}`,
    difference: {
      kinds: ['provider'],
      text: `No account here has taken it. ${id} was asked too, and said: ${reason}.`,
    },
    fix: fix.en,
  };
}

/** The answer says the same as for a wrong password. Another one would tell which names belong to one account. */
function accountExhausted(sub: string | undefined) {
  return {
    expected: 'at most 10 failed logins of an account, under all its names together, one more every 30 s',
    received: `one more${sub === undefined ? '' : `, for the user ${sub}`}`,
    difference: { kinds: ['limit'], text: 'The password counted as wrong, whatever it was.' },
    fix: 'Wait half a minute. If nobody of yours tried, someone guesses passwords: see the addresses in the log.',
  };
}

export const secondFactorNeeded: Topic = ({ snapshot }) => ({
  expected: 'a user who signs in with a password alone, or an application with mfa: off',
  received: `${paramText(snapshot, 'username')}; ${paramText(snapshot, 'password')}`,
  difference: {
    kinds: ['second-factor'],
    text: 'The password is right. The user has a second factor, or the application requires one, and this grant cannot ask for it.',
  },
  fix: 'Send the user through an authorization request. The answer to the client never says that the password was right.',
});

/** The pages that ask for the code of a mail. */
const OF_MAILS: readonly (string | undefined)[] = ['/login/verify-email', '/account/email'];

export const codeWrong: Topic = context =>
  OF_MAILS.includes(context.snapshot.route) ? mailCodeWrong(context) : factorCodeWrong(context);

const mailCodeWrong: Topic = ({ snapshot }) => ({
  expected: 'the code of the newest mail, within 30 minutes',
  received: paramText(snapshot, 'code'),
  difference: {
    kinds: ['wrong-code'],
    text: 'The code is another one, is too old, or none was sent: the address belongs to another user, or got as many mails as it may.',
  },
  fix: 'Use the newest mail, or ask for another one. A mail without a code says what to do. The line confirmation.refused in the log tells of an address that gets no more mails.',
});

const factorCodeWrong: Topic = ({ snapshot }) => ({
  expected:
    'the current code of the authenticator app of the user, one 30 s step earlier or later, or a recovery code that is left',
  received: paramText(snapshot, 'code'),
  difference: {
    kinds: ['wrong-code'],
    text: `The code is another one, or was accepted before${snapshot.sub === undefined ? '' : `, of the user ${snapshot.sub}`}.`,
  },
  fix: 'Type the next code. If all are wrong, the clock of the device is: set it, or use a recovery code. An operator can remove the factor.',
});

const PASSKEY_FAULTS: Readonly<Record<PasskeyFault, string>> = {
  invalid:
    'The answer of the authenticator does not hold: challenge, origin, signature, or a user who was not verified although that is needed.',
  unknown: 'No user has this passkey.',
  otherUser: 'The passkey is of another user than the one who signs in.',
  disabled: 'The passkey is right, and its user is disabled.',
  cloned: 'The signature counter did not rise: a copy of the key may exist (WebAuthn section 6.1.1).',
  taken: 'This or another user has the passkey already.',
  full: 'The user has as many passkeys as one may have.',
};

export const passkeyRefused: Topic = ({ snapshot }) => {
  const fault = snapshot.facts?.passkey ?? 'invalid';
  return {
    expected: 'an answer of the authenticator to the challenge of this page, with a passkey of the user',
    received: paramText(snapshot, 'passkey'),
    difference: { kinds: [`passkey-${fault}`], text: PASSKEY_FAULTS[fault] },
    fix:
      fault === 'cloned'
        ? 'Ask the user whether the authenticator was copied. If in doubt, remove the passkey and let the user add a new one.'
        : 'Try again, or sign in with the password. Passkeys work only at the domain of BASE_URL with which they were made.',
  };
};

export const passkeysOff: Topic = () => ({
  expected: 'an application with passkeys: true, on a server whose BASE_URL has a domain name',
  received: 'a sign-in with a passkey',
  difference: { kinds: ['not-allowed'], text: 'Passkeys are off here.' },
  fix: 'Sign in with the password, or set passkeys: true for the application.',
});

export const codesExhausted: Topic = () => ({
  expected: 'at most 5 wrong codes in one sign-in',
  received: 'one more',
  difference: { kinds: ['limit'], text: 'The code was not looked at.' },
  fix: 'Go back to the application and sign in again. If nobody of yours tried, someone knows the password: set another one.',
});

export const tooManyAttempts: Topic = ({ snapshot }) => ({
  expected:
    'at most 10 failed logins for a login name, one more every 30 s; 100 from one address; 40 wrong codes of a user, one more every 30 minutes',
  received: `one more${snapshot.sub === undefined ? '' : `, for the user ${snapshot.sub}`}`,
  difference: { kinds: ['limit'], text: `More are taken in ${durationText(snapshot.retryAfter ?? 0)}.` },
  fix: 'Wait as long as Retry-After says. If nobody of yours tried, someone guesses passwords: see the addresses in the log.',
});

export const tooManyMailRequests: Topic = ({ snapshot }) => ({
  expected:
    'at most 20 requests for mails from one network address, one more every 30 s; 20 of one user, one more every 6 minutes',
  received: 'one more',
  difference: { kinds: ['limit'], text: `More are taken in ${durationText(snapshot.retryAfter ?? 0)}.` },
  fix: 'Wait as long as Retry-After says. Behind a proxy, check TRUSTED_PROXIES: without it all people have the address of the proxy.',
});

const BUSY =
  'Send the same request again after the seconds of Retry-After. If it happens often, add processors or nodes.';

export const hashQueueFull: Topic = () => ({
  expected: 'a place in the queue of password checks',
  received: 'more logins at a time than the processors can check',
  difference: { kinds: ['busy'], text: 'The password was not looked at.' },
  fix: BUSY,
});

export const serverBusy: Topic = () => ({
  expected: 'a free place among the requests that are handled at a time',
  received: 'more requests than the server can handle in time',
  difference: { kinds: ['busy'], text: 'The request was rejected before anything of it was done.' },
  fix: BUSY,
});

export const storeUnavailable: Topic = () => ({
  expected: 'a database that answers in time and takes writes',
  received: 'none: it was away, slow, full or read-only',
  difference: {
    kinds: ['database'],
    text: 'The line store.unavailable of this request in the log has the message of the database.',
  },
  fix: 'Repair the database; requests work again by themselves.',
});

export const serverError: Topic = () => ({
  expected: 'an answer',
  received: 'a fault of the server',
  difference: {
    kinds: ['fault'],
    text: 'The line request.fault of this request in the log has its message and its place.',
  },
  fix: 'Report it with that line.',
});
