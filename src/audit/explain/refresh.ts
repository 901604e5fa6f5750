import { certificateExplanation } from './client-certificate.ts';
import type { Context, Difference, Topic } from './explanation.ts';
import type { FoundToken, Snapshot } from './snapshot.ts';
import { applicationText, articleText, durationText, paramOf, paramText, timeText } from './wording.ts';

function foundToken({ found }: Snapshot): FoundToken | undefined {
  return found?.token === 'none' ? undefined : found?.token;
}

const AGAIN = 'Send the user through the login again.';

export const refreshTokenInvalid: Topic = context => {
  const { snapshot } = context;
  if (snapshot.facts?.certificate) return certificateExplanation(context, snapshot.facts.certificate);
  const difference = whyInvalid(context);
  return {
    expected: `a live refresh token of client ${snapshot.client ?? ''}`.trim(),
    received: paramText(snapshot, 'refresh_token'),
    difference,
    fix: INVALID_FIXES[difference.kinds[0] ?? ''] ?? `Keep the newest refresh_token of each answer. ${AGAIN}`,
  };
};

function whyInvalid(context: Context): Difference {
  const { snapshot, app } = context;
  const token = foundToken(snapshot);
  const value = paramOf(snapshot, 'refresh_token')?.value;
  if (!token) return unknownToken(snapshot, value && 'hidden' in value ? value : undefined);
  if (token.kind === 'access') return { kinds: ['another-kind'], text: 'It is an access token.' };
  if (token.app !== app) {
    return { kinds: ['another-application'], text: `The token belongs to ${applicationText(context, token.app)}.` };
  }
  if (token.client !== snapshot.client) {
    return { kinds: ['another-client'], text: `The token was issued to client ${token.client}.` };
  }
  if (token.user === 'disabled') return { kinds: ['user-disabled'], text: 'The user of the token is disabled.' };
  if (token.user === 'deleted') return { kinds: ['user-deleted'], text: 'The user of the token was deleted.' };
  if (token.isRevoked) return { kinds: ['revoked'], text: revokedText(token, snapshot) };
  const text = 'The token is live. Its successor was made under a server secret that is not listed any more.';
  return { kinds: ['secret-removed'], text };
}

export function revokedText({ revokedAt }: FoundToken, { time }: Snapshot): string {
  const when = revokedAt === undefined ? '' : ` at ${timeText(revokedAt)}, ${durationText(time - revokedAt)} before`;
  return `The login of this token was revoked${when}: by a logout, a revocation, a new password, or the use of an old refresh token.`;
}

function unknownToken(
  { found, time }: Snapshot,
  value: { readonly hidden: string; readonly notes?: readonly string[] | undefined } | undefined,
): Difference {
  if (value?.notes?.length) return { kinds: ['encoding'], text: `The received text ${value.notes.join(' and ')}.` };
  if (value?.hidden === 'text') {
    return { kinds: ['not-a-token'], text: 'It does not begin with grt_, as every refresh token of this server does.' };
  }
  if (value && value.hidden !== 'refresh token')
    return { kinds: ['another-kind'], text: `It is ${articleText(value.hidden)}.` };
  const end = found?.stampedEnd;
  if (end !== undefined && end <= time) {
    return {
      kinds: ['expired'],
      text: `A token of this form expired at ${timeText(end)}, ${durationText(time - end)} before.`,
    };
  }
  return { kinds: ['unknown'], text: 'It has the form of a refresh token, and was never issued here, or is deleted.' };
}

const INVALID_FIXES: Readonly<Record<string, string>> = {
  'another-kind': 'Send the value of refresh_token of the last answer.',
  'not-a-token': 'Send the value of refresh_token of the last answer, unchanged.',
  encoding: 'Send the value of refresh_token of the last answer, unchanged.',
  'another-client': 'Refresh with the credentials of the client that the token was issued to.',
  'another-application': 'Refresh at the token endpoint of the application that issued the token.',
  'user-disabled': 'Enable the user, then send the user through the login again.',
  'secret-removed':
    'Keep old values in GATEHOUSE_SECRET until the grace period of their tokens is over. Send the user through the login again.',
};

export const refreshTokenExpired: Topic = ({ snapshot }) => {
  const { application, time } = snapshot;
  const token = foundToken(snapshot);
  const familyEnd =
    token?.familyStartedAt === undefined ? undefined : token.familyStartedAt + (application?.refreshFamilyTtl ?? 0);
  const isFamily = token !== undefined && familyEnd !== undefined && familyEnd <= time && token.expiresAt > time;
  const end = isFamily ? familyEnd : (token?.expiresAt ?? snapshot.found?.stampedEnd);
  const setting = isFamily ? 'refresh_family_ttl' : 'refresh_token_ttl';
  const ttl = isFamily ? application?.refreshFamilyTtl : application?.refreshTokenTtl;
  return {
    expected: `a refresh token within ${setting}${ttl === undefined ? '' : ` (${durationText(ttl)})`}`,
    received: paramText(snapshot, 'refresh_token'),
    difference: {
      kinds: ['expired'],
      text:
        end === undefined
          ? 'It has expired.'
          : `Expired by ${durationText(time - end)}: it was good until ${timeText(end)}.`,
    },
    fix: `${AGAIN} If this happens too soon, raise ${setting} of the application.`,
  };
};

export const refreshTokenReused: Topic = ({ snapshot }) => {
  const { time, registration } = snapshot;
  const token = foundToken(snapshot);
  const grace = registration?.refreshGrace;
  const rotatedAt = token?.rotatedAt;
  const ago = rotatedAt === undefined ? undefined : time - rotatedAt;
  const isLate = ago === undefined || grace === undefined || ago >= grace;
  return {
    expected: `the newest refresh token; an old one only within ${grace ?? 30} s of its rotation, while its successor is unused`,
    received: `${paramText(snapshot, 'refresh_token')}, which was rotated${rotatedAt === undefined ? '' : ` at ${timeText(rotatedAt)}`}`,
    difference: {
      kinds: [isLate ? 'after-grace' : 'successor-used'],
      text: isLate
        ? `It was used again ${ago === undefined ? 'too late' : `${durationText(ago)} after it was rotated`}.`
        : 'Its successor was used before, so this is no repeated request.',
    },
    fix: `Store the newest refresh_token of each answer before anything else uses it, and let one process of the client refresh. ${AGAIN} If no program of yours sends old tokens, assume that this one was stolen.`,
  };
};
