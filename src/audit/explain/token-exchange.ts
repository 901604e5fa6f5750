import { MAX_EXCHANGE_DEPTH } from '../../oauth/token-exchange/rules.ts';
import { tokenFault } from './access-token.ts';
import type { Context, Difference, Topic } from './explanation.ts';
import type { FoundToken, Snapshot } from './snapshot.ts';
import { clientText, listText, paramOf, paramText } from './wording.ts';

/** Token exchange (RFC 8693). */

export const subjectTokenInvalid: Topic = context => {
  const difference = whyInvalid(context, 'subject_token');
  const apis = context.snapshot.registration?.apis ?? [];
  return {
    expected: `a live access token that was issued to ${clientText(context)}, or is for an API that it is registered for (apis): ${listText(apis)}`,
    received: paramText(context.snapshot, 'subject_token'),
    difference,
    fix:
      FIXES[difference.kinds[0] ?? ''] ??
      'Send the access token that the caller brought, unchanged and before it expires.',
  };
};

export const actorTokenInvalid: Topic = context => {
  const difference = whyInvalid(context, 'actor_token');
  return {
    expected: `a live access token that was issued to ${clientText(context)}, and was not exchanged itself`,
    received: paramText(context.snapshot, 'actor_token'),
    difference,
    fix: 'Send a token of the client itself, such as one of client_credentials, or leave actor_token and actor_token_type out.',
  };
};

type Name = 'subject_token' | 'actor_token';

function whyInvalid(context: Context, name: Name): Difference {
  const { snapshot, app } = context;
  const token = foundToken(snapshot);
  if (token && isLive(token, snapshot) && token.app === app) return notHeld(context, token, name);
  return tokenFault(context, paramOf(snapshot, name)?.value);
}

function foundToken({ found }: Snapshot): FoundToken | undefined {
  return found?.token === 'none' ? undefined : found?.token;
}

function isLive({ kind, user, isRevoked, expiresAt }: FoundToken, { time }: Snapshot): boolean {
  return kind === 'access' && user !== 'disabled' && user !== 'deleted' && !isRevoked && expiresAt > time;
}

function notHeld(context: Context, { client }: FoundToken, name: Name): Difference {
  const isOwn = client === context.snapshot.client;
  if (isOwn && name === 'actor_token') {
    return { kinds: ['not-usable'], text: 'The token is live. It was exchanged itself, or is bound to a key.' };
  }
  if (isOwn) return { kinds: ['another-type'], text: 'The token is live, and not of the subject_token_type.' };
  const text =
    name === 'actor_token'
      ? `The token is live, and was issued to client ${client}.`
      : `The token is live. It was issued to client ${client}, and is for no API that ${clientText(context)} is registered for; or it is not of the subject_token_type.`;
  return { kinds: ['not-held'], text };
}

const FIXES: Readonly<Record<string, string>> = {
  'not-held': 'Add the API of the token to the apis of the client, if the client is that API.',
  'another-type': 'Send urn:ietf:params:oauth:token-type:access_token as subject_token_type.',
  'another-kind':
    'Send the access token. ID tokens and refresh tokens are for the client that they were issued to, and cannot be exchanged.',
};

export const subjectTokenBound: Topic = ({ snapshot }) => ({
  expected: 'a proof by the key that the subject_token is bound to (cnf), or a token that is bound to none',
  received: paramText(snapshot, 'subject_token'),
  difference: { kinds: ['bound'], text: 'The token is bound to a key that the request does not prove.' },
  fix: 'Let the client that has the key exchange the token. A bound token is never exchanged for one that anybody can use.',
});

export const subjectTokenTooDeep: Topic = ({ snapshot }) => ({
  expected: `a token that is the result of fewer than ${MAX_EXCHANGE_DEPTH} exchanges`,
  received: paramText(snapshot, 'subject_token'),
  difference: { kinds: ['too-deep'], text: `The token is the result of ${MAX_EXCHANGE_DEPTH} exchanges.` },
  fix: 'Look for services that call each other in a circle, or let each of them exchange the token that the first one received.',
});

export const exchangeNotAllowed: Topic = context => {
  const { snapshot } = context;
  const { detail } = snapshot;
  return {
    expected: `the target of a policy (token_exchange): ${listText(policyTexts(context))}`,
    received: `${paramText(snapshot, 'resource')}; ${paramText(snapshot, 'audience')}`,
    difference:
      detail === undefined
        ? { kinds: ['unnamed'], text: 'The request names no API or several, or the policies lead to several.' }
        : {
            kinds: ['no-policy'],
            text: `No policy leads from the subject_token, or from the client, to ${detail}.`,
          },
    fix:
      detail === undefined
        ? 'Name one API as resource.'
        : 'Add a policy to token_exchange of the application: from the API of the subject_token or from the client, to this API, with its scopes.',
  };
};

export const exchangeScopeInvalid: Topic = context => {
  const { snapshot } = context;
  const { detail } = snapshot;
  return {
    expected: `scopes of the policies (token_exchange): ${listText(policyTexts(context))}`,
    received: paramText(snapshot, 'scope'),
    difference: {
      kinds: ['not-allowed'],
      text:
        detail === undefined
          ? 'No scope is left that the policy allows.'
          : `The policy does not allow ${detail}, or the subject_token was issued without it although its API has it.`,
    },
    fix: 'Leave scope out to get all that is allowed, or add the scope to the policy.',
  };
};

function policyTexts({ snapshot }: Context): string[] {
  return (snapshot.application?.policies ?? []).map(({ from, to, scopes }) => `${from} to ${to} (${scopes.join(' ')})`);
}
