import { isLoopbackHost, registrationFault } from '../../oauth/authorize/redirect-uri.rules.ts';
import { isUnmasked } from '../refusals/mask.ts';
import { addUri } from './calls.ts';
import type { Call, Context, Difference, RowExplanation, Topic } from './explanation.ts';
import { closestUri, isSameOrigin, uriDifference } from './uri-difference.ts';
import { applicationText, clientText, listText, paramOf, paramText, shownParam } from './wording.ts';

type Field = 'redirect_uris' | 'post_logout_redirect_uris';

export const redirectUriUntrusted: Topic = context => untrusted(context, 'redirect_uri', 'redirect_uris');

export const postLogoutRedirectUriUntrusted: Topic = context => {
  if (context.snapshot.client !== undefined)
    return untrusted(context, 'post_logout_redirect_uri', 'post_logout_redirect_uris');
  return {
    expected: 'a client whose post_logout_redirect_uris the address can be compared with: id_token_hint or client_id',
    received: `${paramText(context.snapshot, 'post_logout_redirect_uri')}, and ${hintText(context)}`,
    difference: { kinds: ['no-client'], text: 'The request names no client.' },
    fix: 'Send id_token_hint, or client_id, with the logout request.',
  };
};

function hintText({ snapshot }: Context): string {
  return paramOf(snapshot, 'id_token_hint')
    ? 'an id_token_hint that this application did not issue'
    : 'no id_token_hint';
}

function untrusted(context: Context, parameter: string, field: Field): RowExplanation {
  const { snapshot } = context;
  const { uris = [], moreUris = 0 } = snapshot.registration ?? {};
  const received = shownParam(snapshot, parameter);
  const closest = received === undefined ? undefined : closestUri(uris, received);
  const difference = received === undefined || closest === undefined ? undefined : uriDifference(closest, received);
  return {
    expected: expectedUris(context, uris, moreUris),
    received: paramText(snapshot, parameter),
    difference: difference && withPortRule(context, difference),
    ...remedy(context, field, parameter, closest),
  };
}

function expectedUris(context: Context, uris: readonly string[], more: number): string {
  if (uris.length === 0) return `a registered address, and ${clientText(context)} has none`;
  const others = more > 0 ? ` or one of ${more} more` : '';
  return `${uris.length > 1 ? 'one of ' : ''}${uris.join(', ')}${others}`;
}

/** RFC 8252 section 7.3. */
function withPortRule({ snapshot }: Context, difference: Difference): Difference {
  const isPort = difference.kinds.length === 1 && difference.kinds[0] === 'port';
  if (!isPort || !difference.expected?.startsWith('http://localhost')) return difference;
  if (snapshot.registration?.authMethod === 'none') return difference;
  const rule = 'Any port of localhost is good for a client without a secret only; 127.0.0.1 has free ports for all.';
  return { ...difference, text: `${difference.text} ${rule}` };
}

function remedy(
  context: Context,
  field: Field,
  parameter: string,
  closest: string | undefined,
): { readonly fix: string; readonly call?: Call | undefined } {
  const value = paramOf(context.snapshot, parameter)?.value;
  if (!value || !('shown' in value))
    return { fix: `Send an absolute URI, as it is registered: ${closest ?? 'register one first'}.` };
  const uri = value.shown;
  const fault = registrationFault(uri);
  const instead = closest === undefined ? '' : `Send ${closest} exactly.`;
  if (fault !== undefined) return { fix: `${instead} The received address cannot be registered: it ${fault}.`.trim() };
  if (context.client?.[field].includes(uri))
    return { fix: 'It has been registered since: the same request works now.' };
  // Anyone can send a request with an address of their own.
  if (!isUnmasked(value) || !isSafe(uri, context.client?.[field] ?? [])) {
    return {
      fix: `${instead} Register the received address only if it belongs to the client: anyone can send this request.`.trim(),
    };
  }
  return { fix: `${instead} Or register the received address as it is.`, call: addUri(context, field, uri) };
}

/**
 * Another address of the same site, or another port of the own machine. A query is not offered: a page that passes the browser on
 * to the address in its query would give the code away (RFC 9700 section 4.11.1).
 */
function isSafe(uri: string, registered: readonly string[]): boolean {
  if (uri.includes('?')) return false;
  return registered.some(one => isSameOrigin(one, uri) || (isLoopback(one) && isLoopback(uri)));
}

function isLoopback(uri: string): boolean {
  return URL.canParse(uri) && isLoopbackHost(new URL(uri).hostname);
}

export const redirectUriMissing: Topic = ({ snapshot }) => ({
  expected: `redirect_uri once${snapshot.registration?.uris?.length ? `, such as ${snapshot.registration.uris[0]}` : ''}`,
  received: paramText(snapshot, 'redirect_uri'),
  difference: repeatedOrMissing(snapshot.received.params.redirect_uri !== undefined),
  fix: 'Send one of the registered addresses as redirect_uri, once and URL-encoded.',
});

function repeatedOrMissing(isSent: boolean): Difference {
  return isSent
    ? { kinds: ['repeated'], text: 'The parameter was sent without a value, or more than once.' }
    : { kinds: ['missing'], text: 'The parameter was not sent.' };
}

/** At the token endpoint: the address of the authorization request is known from the code. */
export const redirectUriDiffers: Topic = context => {
  const { snapshot } = context;
  const code = snapshot.found?.code;
  const wanted = code && code !== 'none' ? code.redirectUri : undefined;
  const received = shownParam(snapshot, 'redirect_uri');
  return {
    expected: wanted ?? 'the redirect_uri of the authorization request',
    received: paramText(snapshot, 'redirect_uri'),
    difference:
      wanted === undefined || received === undefined ? undefined : uriDifference(wanted, received, 'expected'),
    fix:
      wanted === undefined
        ? 'Send the same redirect_uri in both requests.'
        : `Send redirect_uri=${wanted} with the code.`,
  };
};

export const clientIdMissing: Topic = ({ snapshot }) => ({
  expected: 'client_id once',
  received: paramText(snapshot, 'client_id'),
  difference: repeatedOrMissing(snapshot.received.params.client_id !== undefined),
  fix: 'Send the client_id of the client, once.',
});

/** Of a client_id that the application does not have: where there is one of this name, or nearly. */
export function unknownClient(context: Context): { readonly received: string; readonly difference: Difference } {
  const found = context.snapshot.found?.client;
  const others = found?.apps.filter(app => app !== context.app) ?? [];
  const received = found?.received ?? paramText(context.snapshot, 'client_id').replace(/^client_id: /, '');
  if (others.length > 0) {
    const owners = listText(others.map(app => applicationText(context, app)));
    return { received, difference: { kinds: ['another-application'], text: `The client belongs to ${owners}.` } };
  }
  if (found?.similar !== undefined) {
    const text = `The application has a client ${found.similar}.`;
    return { received, difference: { kinds: ['misspelt'], text, expected: found.similar, received } };
  }
  if (found?.apps.includes(context.app)) {
    return { received, difference: { kinds: ['since'], text: 'The client has been registered since.' } };
  }
  return {
    received,
    difference: { kinds: ['unknown'], text: 'The application has no client of this name, or nearly this name.' },
  };
}

export const clientUnknown: Topic = context => {
  const { received, difference } = unknownClient(context);
  const name = context.app === '' ? 'the application' : `the application ${context.app}`;
  return {
    expected: `the client_id of a client of ${name}`,
    received: `client_id: ${received}`,
    difference,
    fix: clientFix(difference),
  };
};

function clientFix({ kinds, expected }: Difference): string {
  if (kinds.includes('another-application'))
    return 'Send the request to the issuer of that application, or use a client of this one.';
  if (kinds.includes('misspelt')) return `Send client_id=${expected}.`;
  if (kinds.includes('since')) return 'The same request works now.';
  return 'Check the client_id in the configuration of the program, or register the client.';
}
