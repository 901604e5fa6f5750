import type { SubjectFault } from '../../oauth/identity-assertions/issue.rules.ts';
import { ID_JAG_JWT_TYPE } from '../../oauth/identity-assertions/names.rules.ts';
import {
  type AssertionFault,
  assertionFaults,
  MAX_ASSERTION_AGE_SECONDS,
  type PersonFault,
} from '../../oauth/identity-assertions/rules.ts';
import { CLOCK_SKEW_SECONDS } from '../../platform/crypto/signed-jwt.rules.ts';
import type { Difference, Topic } from './explanation.ts';
import { clientText, paramText, withValue } from './wording.ts';

/** Identity assertions (ID-JAG): those of other issuers, and those that are asked for here. */

interface Told {
  /** Its word in `Difference.kinds`. */
  readonly kind: string;
  readonly expected: string;
  readonly fix: string;
}

const ANEW = 'Get a new assertion of the issuer for each token.';
const CLOCKS = `clocks may differ by ${CLOCK_SKEW_SECONDS} s`;
const REACHED =
  'from the network of this server: it must be https on a public address, or in a network of GATEHOUSE_OUTBOUND_ALLOW';

const ASSERTION: Readonly<Record<AssertionFault, Told>> = {
  malformed: {
    kind: 'malformed',
    expected: 'a signed JWT of at most 8 KiB in the compact form',
    fix: 'Send the access_token of the answer that the issuer gave to the token exchange, as it is.',
  },
  type: {
    kind: 'type',
    expected: 'a JWT with the typ',
    fix: `Exchange the ID token at its issuer first, with requested_token_type urn:ietf:params:oauth:token-type:id-jag: ${ID_JAG_JWT_TYPE} alone counts here.`,
  },
  issuer: {
    kind: 'issuer',
    expected: 'the iss of an entry of assertion_issuers that has the client in its clients',
    fix: 'Compare it with assertion_issuers of the application, character by character. If you trust the issuer, add it, or the client to its clients.',
  },
  ownIssuer: {
    kind: 'own-issuer',
    expected: 'an assertion of another issuer',
    fix: 'Use the tokens that this issuer gives to the client, or token exchange: an assertion is for another issuer.',
  },
  audience: {
    kind: 'audience',
    expected: 'one aud, the issuer of this application',
    fix: 'Let the client ask its issuer for an assertion with this audience. It is in the metadata, as issuer.',
  },
  clientId: {
    kind: 'client',
    expected: 'the client_id of the client that authenticates here',
    fix: 'Compare the client_id that the other issuer writes into assertions (client_id of its policy, where it is a Gatehouse) with the one here.',
  },
  algorithm: {
    kind: 'algorithm',
    expected: 'a signature by',
    fix: 'The issuer has to sign with a private key; signatures with a shared secret or none never count.',
  },
  timesMissing: { kind: 'times-missing', expected: 'exp and iat, in seconds since 1970', fix: ANEW },
  expired: { kind: 'expired', expected: `an exp in the future; ${CLOCKS}`, fix: ANEW },
  tooLong: {
    kind: 'too-long',
    expected: `an iat and an exp within ${MAX_ASSERTION_AGE_SECONDS} s of now`,
    fix: 'Let the issuer make assertions that are valid for minutes.',
  },
  notYetValid: {
    kind: 'not-yet-valid',
    expected: `iat and nbf not in the future; ${CLOCKS}`,
    fix: 'Compare the clocks of this server and of the issuer.',
  },
  idMissing: { kind: 'id-missing', expected: 'a jti', fix: 'The issuer has to give each assertion an id.' },
  subjectMissing: { kind: 'subject-missing', expected: 'a sub', fix: 'The issuer has to name the person.' },
  claimMalformed: {
    kind: 'claim',
    expected: 'scope as a text, resource as a text or a list of texts, auth_time as a number',
    fix: 'The issuer has to write these claims as the draft says, or leave them out.',
  },
  actor: {
    kind: 'actor',
    expected: 'no act: the token would not say that somebody else acts',
    fix: 'Let the client ask its issuer without actor_token.',
  },
  keyMissing: {
    kind: 'bound',
    expected: 'a proof by the key that the assertion is bound to (cnf)',
    fix: 'Send the request with a DPoP proof by the key with which the client asked its issuer.',
  },
  metadata: {
    kind: 'metadata',
    expected: 'metadata with this issuer and its jwks_uri, at /.well-known/openid-configuration of',
    fix: `Open the address ${REACHED}. Or set jwks or jwks_uri of the issuer. A failure is remembered for 30 s.`,
  },
  keysUnreachable: {
    kind: 'jwks-uri',
    expected: 'a JWK Set of',
    fix: `Open the jwks_uri of the issuer ${REACHED}. A failure is remembered for 30 s.`,
  },
  keyUnknown: {
    kind: 'unknown-kid',
    expected: 'a key of',
    fix: 'If the entry of assertion_issuers has jwks, add the new key of the issuer, or set jwks_uri, which is read again, at most once in 10 s.',
  },
  signature: {
    kind: 'signature',
    expected: 'a signature by a key of',
    fix: 'Send the assertion unchanged. If it is, compare jwks of the entry with the keys of the issuer.',
  },
  replayed: {
    kind: 'replayed',
    expected: 'an assertion that was not used before, at any node',
    fix: `${ANEW} If the client did not use it before, somebody else has it: the secret of the client is known to others too.`,
  },
};

const PERSON: Readonly<Record<PersonFault, Told & { readonly text: string }>> = {
  noProvider: {
    kind: 'no-provider',
    text: 'No identity provider here has this issuer, so nobody can be linked to it.',
    expected: 'an identity provider with the issuer',
    fix: 'Add the issuer as an identity provider, so that people sign in with it. Or set subject: email, if it is trusted for addresses.',
  },
  noLink: {
    kind: 'no-link',
    text: 'No account is linked to this person of the issuer.',
    expected: 'an account that is linked to the person (sub), of a provider with the issuer',
    fix: 'Let the person sign in here with this provider once, or link the account (users links). If people do sign in with it, the issuer shows them under another sub: subject_client of its policy, where it is a Gatehouse.',
  },
  severalLinks: {
    kind: 'collision',
    text: 'Several providers have this issuer, and the person is linked to different accounts.',
    expected: 'one account of the person, of providers with the issuer',
    fix: 'Remove the link that is wrong.',
  },
  emailMissing: {
    kind: 'email-missing',
    text: 'The assertion has no e-mail address.',
    expected: 'the claim email, by subject: email, of the issuer',
    fix: 'Let the client sign people in with the scope email at its issuer, which adds verified addresses alone.',
  },
  emailUnverifiedThere: {
    kind: 'email-unverified',
    text: 'The issuer does not say that it has verified the address.',
    expected: 'email_verified: true, by the issuer',
    fix: 'Let the person verify the address at the issuer.',
  },
  noAccount: {
    kind: 'no-account',
    text: 'No account here has this address. None is made by an assertion.',
    expected: 'an account with the address that is named by the issuer',
    fix: 'Create the user, or let the person sign up, and verify the address.',
  },
  emailUnverifiedHere: {
    kind: 'collision',
    text: 'An account has this address without having verified it, or as its user name, or in letters that only look alike.',
    expected: 'an account that has verified the very address that is named by the issuer',
    fix: 'If it is the account of the person, verify its address.',
  },
  linkedToOther: {
    kind: 'collision',
    text: 'The person is linked to one account, and the address belongs to another one.',
    expected: 'a link and an address that lead to the same account, of the issuer',
    fix: 'Find out whose the address is; correct the address or the link of one of the accounts.',
  },
  otherLinked: {
    kind: 'collision',
    text: 'The account with this address is linked to another person of the same issuer: the address may have a new owner there.',
    expected: 'an address whose account is linked to nobody else, of the issuer',
    fix: 'If the person is the same with a new sub, remove the old link of the account.',
  },
  disabled: {
    kind: 'disabled',
    text: 'The account is disabled, or about to be deleted.',
    expected: 'an account that is enabled, named by the issuer',
    fix: 'Enable the user, if the person may come in.',
  },
  notAllowed: {
    kind: 'not-admitted',
    text: 'The application does not admit the user (access).',
    expected: 'a user whom access of the application lists, named by the issuer',
    fix: 'Give the user one of the groups or roles, or change access of the application.',
  },
  gone: {
    kind: 'gone',
    text: 'A directory says that the person has left.',
    expected: 'a person who is still in the directory, named by the issuer',
    fix: 'Look at the entry of the person in the directory.',
  },
};

export const identityAssertionInvalid: Topic = context => {
  const faulty = context.snapshot.facts?.identityAssertion;
  const fault = (faulty?.fault ?? 'malformed') as AssertionFault;
  const { kind, expected, fix } = ASSERTION[fault];
  const [first = '', ...rest] = assertionFaults[fault];
  return {
    expected: `${withValue(expected, faulty?.expected)} (${clientText(context)})`,
    received: faulty?.received ? `assertion with ${faulty.received}` : 'assertion (not kept)',
    difference: { kinds: [kind], text: `${first.toUpperCase()}${rest.join('')}.`, ...sidesOf(fault, faulty) },
    fix,
  };
};

const COMPARED: readonly string[] = ['type', 'issuer', 'audience', 'clientId'];

/** Where there is one text that it could be: the first character that differs. */
function sidesOf(
  fault: string,
  {
    expected = '',
    received = '',
  }: { readonly expected?: string | undefined; readonly received?: string | undefined } = {},
): Partial<Difference> {
  if (!COMPARED.includes(fault) || expected === '' || expected.includes(', ') || received === '') return {};
  const at = [...received].findIndex((char, index) => char !== expected[index]);
  return { expected, received, at: at === -1 ? received.length : at };
}

export const identityAssertionRefused: Topic = ({ snapshot: { facts, sub } }) => {
  const faulty = facts?.identityAssertion;
  const { kind, text, expected, fix } = PERSON[(faulty?.fault ?? 'noLink') as PersonFault];
  return {
    expected: withValue(expected, faulty?.expected),
    received: sub === undefined ? 'an assertion about somebody else' : `an assertion that leads to user ${sub}`,
    difference: { kinds: [kind], text },
    fix,
  };
};

const SUBJECT: Readonly<Record<SubjectFault, Told & { readonly text: string }>> = {
  notIdToken: {
    kind: 'no-id-token',
    text: 'It is no ID token of this application, or has expired, or is encrypted.',
    expected: 'a valid ID token, by subject_token_type …:id_token',
    fix: 'Refresh, and send the new ID token, decrypted if the client gets encrypted ones; or send the refresh token with …:refresh_token.',
  },
  notRefreshToken: {
    kind: 'no-refresh-token',
    text: 'It is no live refresh token of this application, or was rotated, or its key is not proved.',
    expected: 'a live refresh token, by subject_token_type …:refresh_token',
    fix: 'Send the newest refresh token of the client.',
  },
  otherClient: {
    kind: 'other-client',
    text: 'The token was issued to another client.',
    expected: 'a token that was issued to the client itself',
    fix: 'Let the client that has signed the person in ask for the assertion.',
  },
  ended: {
    kind: 'ended',
    text: 'The sign-in has ended: by a logout, a withdrawn consent or a revocation; or the ID token came without a code.',
    expected: 'a token whose sign-in has not ended',
    fix: 'Let the person sign in to the client again.',
  },
  disabled: {
    kind: 'disabled',
    text: 'The user is disabled or deleted.',
    expected: 'a user who is enabled',
    fix: 'Enable the user, if the person may come in.',
  },
  notAllowed: {
    kind: 'not-admitted',
    text: 'The application does not admit the user any more (access).',
    expected: 'a user whom access of the application lists',
    fix: 'Give the user one of the groups or roles, or change access of the application.',
  },
  gone: {
    kind: 'gone',
    text: 'The identity provider or directory says that the person has left.',
    expected: 'a person who may still sign in there',
    fix: 'Look at the entry of the person there.',
  },
};

export const identitySubjectInvalid: Topic = context => {
  const faulty = context.snapshot.facts?.identitySubject;
  const { kind, text, expected, fix } = SUBJECT[faulty?.fault ?? 'notIdToken'];
  return {
    expected: `${expected} (${clientText(context)})`,
    received: paramText(context.snapshot, 'subject_token'),
    difference: { kinds: [kind], text },
    fix,
  };
};

export const identityAssertionNotAllowed: Topic = context => {
  const { snapshot } = context;
  const name = snapshot.parameter ?? 'audience';
  return {
    expected: `${name === 'audience' ? 'the audience of a policy (identity_assertions)' : 'resources of the policy (identity_assertions)'} for ${clientText(context)}`,
    received: paramText(snapshot, name),
    difference: {
      kinds: ['no-policy'],
      text: `No policy of the application allows this ${name}. It is compared exactly; another application, this issuer itself and several values count as none.`,
    },
    fix:
      name === 'audience'
        ? 'Send the issuer of the other server as its metadata have it. If the client may act there for its users, add a policy with client, audience and scopes.'
        : 'Add it to resources of the policy, or leave resource out.',
  };
};

export const identityAssertionScopeInvalid: Topic = context => ({
  expected: `scopes of the policy (identity_assertions) for ${clientText(context)}`,
  received: paramText(context.snapshot, 'scope'),
  difference: { kinds: ['not-allowed'], text: 'The policy does not have one of the scopes.' },
  fix: 'Leave scope out to get all that is allowed, or add the scope to the policy.',
});
