import type { PendingFault } from '../refusals/facts.rules.ts';
import type { Context, Difference, Topic } from './explanation.ts';
import { unknownClient } from './redirect-uri.ts';
import { clientText, durationText, listText, paramOf, paramText, timeText } from './wording.ts';

const WITH_PAGES = 'Send the user through an authorization request without prompt=none.';
const WITHOUT_HINT = 'Send an authorization request without id_token_hint, or sign in as the user whom it names.';

export const loginRequired: Topic = ({ snapshot }) => {
  const difference = loginFault(snapshot);
  return {
    expected: 'a session of the user whom the request names, not older than it demands',
    received: `${paramText(snapshot, 'prompt')}; ${sessionText(snapshot)}`,
    difference,
    fix: LOGIN_FIXES[difference.kinds[0] ?? ''] ?? WITH_PAGES,
  };
};

function sessionText({ facts, time }: Context['snapshot']): string {
  const login = facts?.login;
  if (login?.kind === 'tooOld') return `a session whose user signed in ${durationText(time - login.authTime)} before`;
  if (login?.kind === 'unverifiedEmail') return 'a session of a user whose e-mail address is not verified';
  if (login?.kind === 'secondFactor') return 'a session with one factor';
  if (login?.kind === 'notByProvider') return 'a session that a password or passkey of this server opened';
  return login?.kind === 'noSession' || login === undefined ? 'no session' : 'a session of another user';
}

function loginFault({ facts, time }: Context['snapshot']): Difference {
  const login = facts?.login;
  switch (login?.kind) {
    case 'tooOld':
      return {
        kinds: ['too-old'],
        text: `The user signed in ${durationText(time - login.authTime)} before; max_age allows ${durationText(login.maxAge)}.`,
      };
    case 'otherUser':
      return {
        kinds: ['another-user'],
        text: 'The session belongs to another user than id_token_hint or claims names.',
      };
    case 'secondFactor':
      return {
        kinds: ['second-factor'],
        text: 'The user has a second factor and has not proved it in this session; the application or the request asks for it.',
      };
    case 'notByProvider':
      return {
        kinds: ['not-by-provider'],
        text: 'The application has local_sign_in: false, and no identity provider opened the session.',
      };
    case 'unverifiedEmail':
      return {
        kinds: ['unverified-email'],
        text: 'The application has require_verified_email: true, and the e-mail address of the user is not verified.',
      };
    default:
      return { kinds: ['no-session'], text: 'The browser has no session, or it has ended.' };
  }
}

const LOGIN_FIXES: Readonly<Record<string, string>> = {
  'another-user': WITHOUT_HINT,
  'no-session': `${WITH_PAGES} A browser that blocks cookies of other sites sends none from a hidden frame.`,
};

export const otherUserSignedIn: Topic = () => ({
  expected: 'the user whom the request names, by id_token_hint or claims',
  received: 'another user, who signed in on the page',
  difference: { kinds: ['another-user'], text: 'The user signed in, and is not the one whom the request names.' },
  fix: WITHOUT_HINT,
});

export const twoUsersNamed: Topic = ({ snapshot }) => ({
  expected: 'a request for one user',
  received: snapshot.facts?.hintNamesOther ? 'an id_token_hint and claims of two users' : 'claims of two users',
  difference: {
    kinds: ['two-users'],
    text: snapshot.facts?.hintNamesOther
      ? 'id_token_hint and the parameter claims name different users.'
      : 'The parameter claims names one user for the ID token and another for userinfo.',
  },
  fix: 'Name the user once: by id_token_hint, or by one sub in claims.',
});

export const consentRequired: Topic = context => {
  const { snapshot } = context;
  const { missing = [], isRemembered = false, eachTime } = snapshot.facts?.consent ?? {};
  if (eachTime) {
    return {
      expected: `a request without prompt=none: ${clientText(context)} has registered itself, and the user is asked each time`,
      received: paramText(snapshot, 'prompt'),
      difference: { kinds: ['consent-each-time'], text: 'What the user has agreed to before does not count for it.' },
      fix: WITH_PAGES,
    };
  }
  const { requireConsent } = snapshot.registration ?? {};
  const who = requireConsent
    ? 'is registered with require_consent'
    : 'is a native client, which another program can imitate';
  return {
    expected: `a remembered consent of the user: ${clientText(context)} ${who}`,
    received: `${paramText(snapshot, 'prompt')}; ${isRemembered ? 'a consent to fewer scopes' : 'no consent'}`,
    difference: { kinds: ['consent-missing'], text: `Not agreed to yet: ${listText(missing)}.` },
    fix: WITH_PAGES,
  };
};

export const userCancelled: Topic = () => ({
  expected: 'a user who signs in and agrees',
  received: 'the button to cancel, or to refuse the consent',
  difference: { kinds: ['cancelled'], text: 'The user chose not to go on.' },
  fix: 'Offer the user to try again. Nothing has to be repaired.',
});

export const pendingRequestExpired: Topic = ({ snapshot }) => {
  const pending = snapshot.facts?.pending ?? { kind: 'missing' };
  const [text, fix] = PENDING[pending.kind];
  return {
    expected: 'a sign-in of this browser that began at most 10 min before',
    received: paramText(snapshot, paramOf(snapshot, 'gatehouse_pending') ? 'gatehouse_pending' : 'pending'),
    difference: { kinds: [pendingKind(pending)], text: pendingText(pending, text, snapshot.time) },
    fix,
  };
};

function pendingKind({ kind }: PendingFault): string {
  return kind.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
}

function pendingText(pending: PendingFault, text: string, time: number): string {
  if (pending.kind !== 'expired') return text;
  return `Expired by ${durationText(time - pending.expiredAt)}: the page was good until ${timeText(pending.expiredAt)}.`;
}

const START_AGAIN = 'Go back to the application and start again.';

const PENDING: Readonly<Record<PendingFault['kind'], readonly [text: string, fix: string]>> = {
  missing: ['The page was opened without its parameter.', `${START_AGAIN} Do not bookmark the login page.`],
  unreadable: [
    'The parameter was not made by this server, was cut, or its server secret is not listed any more.',
    START_AGAIN,
  ],
  noCookie: [
    'The browser sent no cookie gatehouse_browser: cookies are blocked, or the address was opened elsewhere.',
    `Allow cookies for this server. ${START_AGAIN}`,
  ],
  otherBrowser: [
    'The page belongs to another browser, or its cookies were deleted.',
    `${START_AGAIN} Login addresses cannot be shared.`,
  ],
  otherPurpose: ['The parameter belongs to another page.', START_AGAIN],
  otherApplication: ['The sign-in belongs to another application.', START_AGAIN],
  changed: ['The registration of the client changed meanwhile, or the browser went on.', START_AGAIN],
  answered: [
    'The sign-in was finished, and the application has had its answer.',
    `${START_AGAIN} Pushed requests and authorization details are answered once.`,
  ],
  expired: ['', START_AGAIN],
};

export const formReplayed: Topic = () => ({
  expected: 'a sign-in form that was not sent before',
  received: 'a form that has already opened a session',
  difference: {
    kinds: ['replayed'],
    text: 'The same form was sent twice: the back button, a reloaded page, or a replay.',
  },
  fix: START_AGAIN,
});

export const formFromElsewhere: Topic = ({ snapshot }) => {
  const { origin, site } = snapshot.received;
  return {
    expected: 'a form that a page of this server sent: Sec-Fetch-Site same-origin, or Origin equal to BASE_URL',
    received: `Sec-Fetch-Site: ${site ?? 'none'}; Origin: ${origin ?? 'none'}`,
    difference: { kinds: ['another-site'], text: 'The browser says that another site sent the form.' },
    fix: 'Behind a proxy, set BASE_URL to the address that browsers see. Otherwise another site tried to send the form.',
  };
};

export const signInNeeded: Topic = ({ snapshot }) => {
  const isOther = snapshot.facts?.form?.kind === 'otherUser';
  return {
    expected: 'the session of the user to whom the page was shown',
    received: isOther ? 'the session of another user' : 'no session',
    difference: isOther
      ? { kinds: ['another-user'], text: 'Another user has signed in since the page was shown.' }
      : { kinds: ['session-ended'], text: 'The session has ended since the page was shown.' },
    fix: 'Sign in again and open the page anew.',
  };
};

export const resetLinkInvalid: Topic = ({ snapshot }) => ({
  expected: 'the link of the newest mail, within 30 minutes (7 days for an invitation), not used before',
  received: paramText(snapshot, 'token'),
  difference: {
    kinds: ['used-or-expired'],
    text: 'The link was used, replaced by a newer one, cut, or is too old, or password or e-mail address have changed since.',
  },
  fix: 'Ask for a new link at /forgot-password, and use the newest mail. An operator can send an invitation again, or set a password.',
});

export const logoutClientMismatch: Topic = context => {
  const { snapshot } = context;
  const { hintClient } = snapshot.facts ?? {};
  if (hintClient === undefined) {
    const { received, difference } = unknownClient(context);
    return {
      expected: 'the client_id of a client of the application',
      received: `client_id: ${received}`,
      difference,
      fix: 'Send the client_id of the client, or leave it out.',
    };
  }
  return {
    expected: `client ${hintClient}, to which the id_token_hint was issued`,
    received: `client_id: ${unknownClient(context).received}`,
    difference: {
      kinds: ['another-client'],
      text: 'client_id and id_token_hint name different clients, or the client was deleted.',
    },
    fix: `Send client_id=${hintClient}, or leave client_id out.`,
  };
};
