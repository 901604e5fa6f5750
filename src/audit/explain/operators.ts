import type { Topic } from './explanation.ts';
import { articleText, durationText, valueText } from './wording.ts';

/** The admin API. */

export const operatorUnknown: Topic = ({ snapshot }) => ({
  expected: '"Authorization: Bearer " and an API key (gak_…), or the access token of an operator',
  received: snapshot.received.authorization ? 'an Authorization header of another scheme' : 'no Authorization header',
  difference: { kinds: ['missing'], text: 'The request has no key.' },
  fix: 'Send the key in the Authorization header. "gatehouse api-keys create --name NAME --role ROLE" makes one.',
});

export const operatorKeyInvalid: Topic = ({ snapshot }) => {
  const secret = snapshot.received.authorization?.secret;
  const kind = secret && 'hidden' in secret ? secret.hidden : 'text';
  return {
    expected: 'an API key that exists and has not expired, or the access token of an operator',
    received: secret ? valueText(secret) : 'nothing',
    difference:
      kind === 'API key'
        ? { kinds: ['unknown-key'], text: 'It has the form of a key, and was never made, was deleted, or has expired.' }
        : {
            kinds: ['another-kind'],
            text:
              kind === 'text'
                ? 'It does not begin with gak_.'
                : `It is ${articleText(kind)}, and gives no access here.`,
          },
    fix: 'Make a new key with "gatehouse api-keys create", or give the user a role with "gatehouse operators add".',
  };
};

export const operatorScopeMissing: Topic = ({ snapshot }) => ({
  expected: 'admin:read to read, admin:write to change',
  received: `${snapshot.method} ${snapshot.route ?? ''} with a token that has not the scope for it`,
  difference: { kinds: ['scope'], text: `The access token has not the scope ${snapshot.parameter ?? ''}.` },
  fix: 'Ask for the scope in the authorization request, with a client of the application gatehouse that is registered for it.',
});

export const operatorFactorMissing: Topic = () => ({
  expected: 'the access token of a login with two factors (GATEHOUSE_OPERATOR_MFA=required)',
  received: 'the access token of a login with one factor',
  difference: { kinds: ['too-weak'], text: 'The operator did not use a second factor when signing in.' },
  fix: 'Sign in again with acr_values=2, which also sets a second factor up; programs use an API key.',
});

export const operatorNeeded: Topic = () => ({
  expected: 'a user with the role auditor, operator or owner',
  received: 'a user who is signed in and has no role',
  difference: { kinds: ['role'], text: 'The user is not among the operators, or is disabled.' },
  fix: '"gatehouse operators add NAME --role ROLE" gives a user a role; or sign in as another user.',
});

export const ownerLinkInvalid: Topic = () => ({
  expected: 'the link that the server printed at its start, within one hour, on a deployment without an owner',
  received: 'a link that is used, too old or incomplete',
  difference: {
    kinds: ['used-or-expired'],
    text: 'There is an owner already, or the hour is over, or a part is missing.',
  },
  fix: 'Start the server again for a new link, or run "gatehouse operators add NAME --role owner".',
});

export const roleTooLow: Topic = ({ snapshot }) => ({
  expected: `the role ${snapshot.parameter ?? ''}`,
  received: 'a key or operator with a lower role, or with one for some applications only',
  difference: {
    kinds: ['role'],
    text: 'auditor reads, operator changes applications, clients and users, owner changes the rest.',
  },
  fix: `Use a key with the role ${snapshot.parameter ?? ''}.`,
});

export const objectUnknown: Topic = ({ snapshot }) => ({
  expected: `the id of ${articleText(snapshot.parameter ?? 'object')} that the caller has access to`,
  received: `${snapshot.method} ${snapshot.route ?? ''}`,
  difference: {
    kinds: ['unknown'],
    text: 'It does not exist, was deleted, or belongs to an application that the key is not for.',
  },
  fix: 'Check the id in the address, and the applications of the key.',
});

export const objectConflict: Topic = ({ snapshot }) => ({
  expected: 'a change that fits what is stored',
  received: `${snapshot.method} ${snapshot.route ?? ''}`,
  difference: { kinds: ['conflict'], text: snapshot.description },
  fix: 'Read the object and decide again.',
});

export const idempotencyKeyReused: Topic = ({ snapshot }) => ({
  expected: 'the same request as the first with this Idempotency-Key',
  received: `${snapshot.method} ${snapshot.route ?? ''} with another address or body`,
  difference: { kinds: ['another-request'], text: 'The key was used for another request within 24 hours.' },
  fix: 'Use a new key for each request, and the same only to repeat it.',
});

export const objectChanged: Topic = () => ({
  expected: 'If-Match with the ETag that the object has now',
  received: 'the ETag of an earlier state',
  difference: { kinds: ['changed'], text: 'Someone has changed the object since it was read.' },
  fix: 'Read the object again, apply the change to it, and send the new ETag.',
});

export const valuesInvalid: Topic = ({ snapshot }) => {
  const faults = snapshot.faults ?? [];
  const texts = faults.map(({ pointer, detail }) => `${pointer || 'the body'}: ${detail}`);
  return {
    expected: 'known fields with allowed values',
    received: `${faults.length === 1 ? 'one fault' : `${faults.length} faults`} in ${snapshot.method} ${snapshot.route ?? ''}`,
    difference: { kinds: ['values'], text: texts.join('; ') },
    fix: 'Correct each of them. /api/v1/admin/openapi.json describes all fields.',
  };
};

export const tooManyOperatorAttempts: Topic = ({ snapshot }) => ({
  expected: 'few requests with wrong keys from one address',
  received: 'one more',
  difference: { kinds: ['limit'], text: `More are taken in ${durationText(snapshot.retryAfter ?? 0)}.` },
  fix: 'Wait as long as Retry-After says, and check the key.',
});
