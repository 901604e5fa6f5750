import { CLIENT_FIRST } from '../../platform/crypto/credential.ts';
import type { Context, Difference, RowExplanation, Topic } from './explanation.ts';
import type { FoundCode, Snapshot } from './snapshot.ts';
import { applicationText, articleText, durationText, paramOf, paramText, timeText } from './wording.ts';

/** "gac_", the stamp, and 256 bits in base64url (credentials.ts). */
const CODE_LENGTH = 55;
/** The same with a mark, and the thumbprint of the key that it is bound to, or none (RFC 9449 section 10), or `CLIENT_FIRST`. */
const BOUND_LENGTHS: readonly number[] = [CODE_LENGTH + 1, CODE_LENGTH + 44, CODE_LENGTH + 1 + CLIENT_FIRST.length];

function foundCode({ found }: Snapshot): FoundCode | undefined {
  return found?.code === 'none' ? undefined : found?.code;
}

export const codeUnknown: Topic = context => {
  const { snapshot } = context;
  const difference = whyUnknown(context);
  return {
    expected: `a code that the application ${context.app} issued: ${CODE_LENGTH} characters that begin with gac_`,
    received: paramText(snapshot, 'code'),
    difference,
    fix:
      UNKNOWN_FIXES[difference.kinds[0] ?? ''] ??
      'Take the code from the redirect unchanged, and redeem it once and at once.',
  };
};

function whyUnknown(context: Context): Difference {
  const { snapshot } = context;
  const code = foundCode(snapshot);
  if (code)
    return { kinds: ['another-application'], text: `The code was issued by ${applicationText(context, code.app)}.` };
  const value = paramOf(snapshot, 'code')?.value;
  if (!value || !('hidden' in value)) return { kinds: ['unknown'], text: 'No code was received.' };
  if (value.notes?.length) return { kinds: ['encoding'], text: `The received text ${value.notes.join(' and ')}.` };
  if (value.hidden === 'text')
    return { kinds: ['not-a-code'], text: 'It does not begin with gac_, as every code of this server does.' };
  if (value.hidden !== 'authorization code')
    return { kinds: ['another-kind'], text: `It is ${articleText(value.hidden)}, not a code.` };
  if (value.length !== CODE_LENGTH && !BOUND_LENGTHS.includes(value.length ?? 0)) {
    return {
      kinds: ['length'],
      text: `A code has ${CODE_LENGTH} characters, ${value.length} came: it was cut or joined with something.`,
    };
  }
  return { kinds: ['unknown'], text: 'It has the form of a code, and was never issued here.' };
}

const UNKNOWN_FIXES: Readonly<Record<string, string>> = {
  'another-application': 'Send the code to the token endpoint of the application that issued it.',
  encoding: 'Take the code out of the query of the redirect with a URL parser, which decodes it once.',
  'another-kind': 'Send the value of the parameter code of the redirect.',
  'not-a-code': 'Send the value of the parameter code of the redirect.',
  length: 'Send the whole value of the parameter code of the redirect, and nothing else.',
};

export const codeInvalid: Topic = context => {
  const { snapshot } = context;
  const code = foundCode(snapshot);
  const own = { expected: 'a code of the client that sends it', received: codeAndClient(context) };
  if (code && code.client !== snapshot.client && snapshot.client !== undefined) {
    return {
      ...own,
      difference: { kinds: ['another-client'], text: `The code was issued to client ${code.client}.` },
      fix: `Redeem it with the credentials of client ${code.client}.`,
    };
  }
  if (code?.isRedeemed) {
    return {
      ...own,
      expected: 'a code that was not redeemed',
      difference: redeemedBefore(code, snapshot),
      fix: 'Redeem each code once. The caller did not prove to be its client, so its tokens were not revoked.',
    };
  }
  if (code && paramOf(snapshot, 'client_id')) {
    return {
      ...own,
      difference: {
        kinds: ['another-client'],
        text: `The code was issued to client ${code.client}, and client_id names another one.`,
      },
      fix: `Send client_id=${code.client}, or leave client_id out.`,
    };
  }
  return {
    ...own,
    difference: { kinds: ['client-deleted'], text: 'The client of the code was deleted, or the code is gone by now.' },
    fix: 'Send the user through a new authorization request.',
  };
};

function codeAndClient(context: Context): string {
  const { snapshot } = context;
  const sender = snapshot.client === undefined ? paramText(snapshot, 'client_id') : `client ${snapshot.client}`;
  return `${paramText(snapshot, 'code')}; ${sender}`;
}

function redeemedBefore(code: FoundCode, { time }: Snapshot): Difference {
  const { redeemedAt } = code;
  const when =
    redeemedAt === undefined ? 'before' : `at ${timeText(redeemedAt)}, ${durationText(time - redeemedAt)} before`;
  return { kinds: ['already-redeemed'], text: `The code was already redeemed ${when}.` };
}

export const codeExpired: Topic = context => {
  const { snapshot } = context;
  const code = foundCode(snapshot);
  const difference = whyEnded(code, snapshot);
  return {
    expected: 'a code that is not older than 5 min and was not revoked',
    received: paramText(snapshot, 'code'),
    difference,
    fix: difference.kinds.includes('expired')
      ? 'Redeem the code as soon as the browser brings it. If it was fresh, compare the clocks of the machines.'
      : 'Send the user through a new authorization request.',
  };
};

function whyEnded(code: FoundCode | undefined, snapshot: Snapshot): Difference {
  const { time, found } = snapshot;
  const gone = code ? undefined : deleted(snapshot);
  if (gone) return gone;
  if (code?.user === 'disabled') return { kinds: ['user-disabled'], text: 'The user of the code is disabled.' };
  if (code?.user === 'deleted') return { kinds: ['user-deleted'], text: 'The user of the code was deleted.' };
  if (code?.isSessionEnded)
    return { kinds: ['signed-out'], text: 'The user has signed out since the code was issued.' };
  const end = code && code.expiresAt > 0 ? code.expiresAt : undefined;
  if (end !== undefined && time >= end) {
    return { kinds: ['expired'], text: `Expired by ${durationText(time - end)}: it was good until ${timeText(end)}.` };
  }
  const issuedEnd = found?.stampedEnd;
  const until = issuedEnd === undefined ? '' : ` It would have been good until ${timeText(issuedEnd)}.`;
  return {
    kinds: ['revoked'],
    text: `The code was revoked: the user signed out, withdrew the consent, got another password, or was disabled.${until}`,
  };
}

/** Codes are deleted a day after their end. */
function deleted({ found, time }: Snapshot): Difference | undefined {
  const end = found?.stampedEnd;
  if (end === undefined || time < end) return undefined;
  return {
    kinds: ['expired'],
    text: `A code of this form expired at ${timeText(end)}, ${durationText(time - end)} before.`,
  };
}

export const codeReplayed: Topic = context => {
  const { snapshot } = context;
  const code = foundCode(snapshot);
  return {
    expected: 'a code that was not redeemed',
    received: codeAndClient(context),
    difference: code
      ? redeemedBefore(code, snapshot)
      : { kinds: ['already-redeemed'], text: 'The code was already redeemed.' },
    fix: 'Redeem each code once: do not repeat the token request, and do not run the callback page again when it is reloaded. The tokens of this code were revoked; send the user through a new authorization request.',
  };
};

const VERIFIER = '43 to 128 characters of A-Z a-z 0-9 - . _ ~';

export const verifierWrong: Topic = ({ snapshot }) => {
  const value = paramOf(snapshot, 'code_verifier')?.value;
  const [difference, fix] = verifierFault(snapshot, value && 'hidden' in value ? value.length : undefined);
  return {
    expected: `the code_verifier whose SHA-256 is the code_challenge of the authorization request: ${VERIFIER}`,
    received: paramText(snapshot, 'code_verifier'),
    difference,
    fix,
  };
};

function verifierFault(snapshot: Snapshot, length: number | undefined): [Difference, string] {
  if (length === undefined) {
    return [
      { kinds: ['missing'], text: 'No verifier was sent.' },
      'Send the code_verifier that the program made for this authorization request.',
    ];
  }
  if (foundCode(snapshot)?.isChallengeSent) {
    return [
      { kinds: ['challenge-sent'], text: 'The code_challenge was sent in the place of the verifier.' },
      'Send the code_verifier, of which the challenge is the hash.',
    ];
  }
  if (length < 43 || length > 128) {
    return [{ kinds: ['length'], text: `It has ${length} characters.` }, `Make a verifier of ${VERIFIER}.`];
  }
  return [
    { kinds: ['hash'], text: 'Its hash is another one, or it has characters that are not allowed.' },
    'Keep the verifier with the state of the same authorization request: a second tab or a second request has one of its own.',
  ];
}

export const verifierUnexpected: Topic = ({ snapshot }): RowExplanation => ({
  expected: 'no code_verifier: the authorization request had no code_challenge',
  received: paramText(snapshot, 'code_verifier'),
  difference: { kinds: ['no-challenge'], text: 'The verifier cannot be compared with anything.' },
  fix: 'Send code_challenge and code_challenge_method=S256 in the authorization request. If the program does, something on the way removed them.',
});
