import { MAX_BINDING_MESSAGE_LENGTH, MAX_OPEN_OF_CLIENT, MAX_UNWANTED_OF_CLIENT } from '../../oauth/ciba/rules.ts';
import { requestObjectFaults } from '../../oauth/jar/request-object.rules.ts';
import type { Topic } from './explanation.ts';
import { durationText, paramText } from './wording.ts';

/** Backchannel requests (CIBA), and the page /account/approvals. */
interface Told {
  readonly expected: string;
  readonly parameter: string;
  readonly kind: string;
  readonly text: string;
  readonly fix: string;
}

const told =
  ({ expected, parameter, kind, text, fix }: Told): Topic =>
  ({ snapshot }) => ({
    expected,
    received: paramText(snapshot, parameter),
    difference: { kinds: [kind], text },
    fix,
  });

export const backchannelHintNeeded = told({
  expected: 'exactly one of login_hint, id_token_hint and login_hint_token',
  parameter: 'login_hint',
  kind: 'hints',
  text: 'The request has none of them, or more than one.',
  fix: 'Send login_hint with the user name, e-mail address or telephone number, and leave the others out.',
});

export const unknownUserId = told({
  expected: 'a hint for a person who may sign in to the application',
  parameter: 'login_hint',
  kind: 'nobody',
  text: 'There is no such person, the account is disabled, or the setting access of the application does not admit the person.',
  fix: 'Search the person in the console: users have a user name, an e-mail address or a telephone number to be named by.',
});

export const tooManyLoginHints: Topic = ({ snapshot }) => ({
  expected: 'at most 60 hints of a client that name nobody, and one more every 30 seconds',
  received: paramText(snapshot, 'login_hint'),
  difference: { kinds: ['limit'], text: `The next one is looked up in ${durationText(snapshot.retryAfter ?? 0)}.` },
  fix: 'Look at what the client sends: it may try one name after the other.',
});

export const loginHintTokenExpired = told({
  expected: 'a login_hint_token that has not expired',
  parameter: 'login_hint_token',
  kind: 'expired',
  text: 'Its exp has passed.',
  fix: 'Make a new one for each request, and check the clock of the client.',
});

export const bindingMessageInvalid = told({
  expected: `a binding_message of 1 to ${MAX_BINDING_MESSAGE_LENGTH} visible characters on one line`,
  parameter: 'binding_message',
  kind: 'not-shown',
  text: 'It is empty, too long, or has line breaks or characters that nobody sees.',
  fix: 'Send a word and a number that the other screen shows too.',
});

export const approvalCodeMissing = told({
  expected: 'a user_code: the person has set an approval code',
  parameter: 'user_code',
  kind: 'missing',
  text: 'Requests without the code do not reach this person, of whatever client.',
  fix: 'The client asks the person for the code. It is set and removed at /account/approvals.',
});

export const approvalCodeWrong = told({
  expected: 'the approval code that the person has set',
  parameter: 'user_code',
  kind: 'wrong',
  text: 'It is another one.',
  fix: 'The client asks the person again. A forgotten code is replaced at /account/approvals.',
});

export const tooManyApprovalCodes: Topic = ({ snapshot }) => ({
  expected: 'at most 10 wrong approval codes for one person, and one more every 5 minutes',
  received: paramText(snapshot, 'user_code'),
  difference: { kinds: ['limit'], text: `The next one is compared in ${durationText(snapshot.retryAfter ?? 0)}.` },
  fix: 'Wait. Many of these mean that somebody guesses: look at the client that sends them.',
});

export const tooManyApprovalRequests: Topic = ({ snapshot }) => ({
  expected: `at most ${MAX_OPEN_OF_CLIENT} requests of a client that wait for a person, and ${MAX_UNWANTED_OF_CLIENT} in an hour that were not approved`,
  received: paramText(snapshot, 'login_hint'),
  difference: { kinds: ['limit'], text: `One more is taken in ${durationText(snapshot.retryAfter ?? 0)}.` },
  fix: 'Send a request when the person expects it, and wait for its end before the next. The events approval.requested and approval.denied show what came before.',
});

export const backchannelRequestInvalid: Topic = ({ snapshot }) => {
  const fault = snapshot.facts?.requestObject ?? 'malformed';
  return {
    expected: 'a JWT that the client has signed for this issuer, with iss, aud, exp, iat, nbf and a new jti',
    received: paramText(snapshot, 'request'),
    difference: { kinds: [fault], text: requestObjectFaults[fault] },
    fix: 'Sign each request anew, with the algorithm backchannel_authentication_request_signing_alg and a key of the client.',
  };
};

export const backchannelRequestUnsigned = told({
  expected: 'all parameters inside of request, and only the authentication of the client beside it',
  parameter: 'request',
  kind: 'not-signed',
  text: 'The client has backchannel_authentication_request_signing_alg, and sent parameters that are not signed.',
  fix: 'Put every parameter into the JWT, or take the setting from the client.',
});

export const authReqIdInvalid: Topic = context => {
  const { snapshot } = context;
  const isOfOtherClient = snapshot.facts?.isOfOtherClient === true;
  return {
    expected: `an auth_req_id that the application ${context.app} issued to this client: it begins with gar_`,
    received: paramText(snapshot, 'auth_req_id'),
    difference: isOfOtherClient
      ? { kinds: ['another-client'], text: 'It was issued to another client.' }
      : { kinds: ['unknown'], text: 'It was never issued by this application, or expired more than an hour ago.' },
    fix: isOfOtherClient
      ? 'Poll with the client that sent the backchannel request.'
      : 'Send the value of auth_req_id unchanged, to the token endpoint of the application that issued it.',
  };
};

export const authReqIdRedeemed = told({
  expected: 'an auth_req_id that has not been used',
  parameter: 'auth_req_id',
  kind: 'already-redeemed',
  text: 'The client has got its tokens for it before.',
  fix: 'Stop polling after the first answer with tokens, and poll with one request at a time.',
});

export const authReqIdExpired = told({
  expected: 'an auth_req_id that has not expired',
  parameter: 'auth_req_id',
  kind: 'expired',
  text: 'Nobody has approved or denied the request within its expires_in.',
  fix: 'Stop polling when expires_in has passed. Ask for more time by requested_expiry, up to an hour.',
});

export const approvalDenied = told({
  expected: 'a request that its person has approved',
  parameter: 'auth_req_id',
  kind: 'denied',
  text: "The person has denied it or has no access to the application, or the person's access ended after the approval. The event approval.denied says which of the first two.",
  fix: 'Tell the person, who can begin again.',
});

export const approvalUnknown: Topic = () => ({
  expected: 'a request to the person who is signed in',
  received: 'the id of a request that this person does not have',
  difference: { kinds: ['unknown'], text: 'It is one to another person, or was deleted an hour after its end.' },
  fix: 'The person signs in with the account that was asked.',
});
