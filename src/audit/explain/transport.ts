import { MAX_PARAMS } from '../../platform/http/params.rules.ts';
import { misspeltName } from '../refusals/similar.ts';
import type { Difference, Topic } from './explanation.ts';
import type { Snapshot } from './snapshot.ts';

/** The request as such, before its endpoint looks at it. */

const ENDPOINTS = [
  'auth',
  'token',
  'introspect',
  'userinfo',
  'revoke',
  'logout',
  'jwks',
  '.well-known/openid-configuration',
];

export const notFound: Topic = ({ snapshot }) => ({
  expected: 'an address of this server',
  received: `${snapshot.method} ${snapshot.path ?? ''}`,
  difference: pathFault(snapshot.path ?? ''),
  fix: 'Take the addresses of the endpoints from {issuer}/.well-known/openid-configuration.',
});

function pathFault(path: string): Difference {
  if (path.length > 1 && path.endsWith('/')) {
    return { kinds: ['trailing-slash'], text: 'The path ends with a slash; the addresses of this server do not.' };
  }
  const endpoint = /\/oauth2\/(.+)$/.exec(path)?.[1];
  const meant = endpoint === undefined ? undefined : misspeltName(endpoint, ENDPOINTS);
  if (meant !== undefined)
    return { kinds: ['misspelt'], text: `There is an endpoint ${meant}.`, expected: meant, received: endpoint };
  return { kinds: ['unknown'], text: 'No route of the server has this path.' };
}

export const applicationUnknown: Topic = ({ snapshot }) => {
  const code = /\/api\/v1\/authorize\/([^/]*)/.exec(snapshot.path ?? '')?.[1];
  const similar = snapshot.found?.similarApplication;
  return {
    expected: 'the code of an application',
    received: code === undefined ? 'an application that was deleted meanwhile' : `the code ${code}`,
    difference:
      similar === undefined
        ? { kinds: ['unknown'], text: 'No application has this code, or nearly this code.' }
        : { kinds: ['misspelt'], text: `There is an application ${similar}.`, expected: similar, received: code },
    fix:
      similar === undefined
        ? 'Check the issuer in the configuration of the program, or create the application.'
        : `Use the code ${similar} in the address.`,
  };
};

export const methodNotAllowed: Topic = ({ snapshot }) => ({
  expected: snapshot.allow ?? 'another method',
  received: `${snapshot.method} ${snapshot.path ?? ''}`,
  difference: { kinds: ['method'], text: `${snapshot.method} is not among the methods of this address.` },
  fix: 'Use one of the methods of the Allow header. Token, introspection and revocation requests are POST.',
});

const FORM = 'application/x-www-form-urlencoded';

export const contentTypeInvalid: Topic = ({ snapshot }) => ({
  expected: `Content-Type: ${FORM}`,
  received: contentTypeText(snapshot),
  difference: { kinds: ['content-type'], text: contentTypeFault(snapshot) },
  fix: 'Send the parameters form-encoded. With fetch, URLSearchParams as the body does it; with curl, -d name=value.',
});

function contentTypeText({ received }: Snapshot): string {
  return received.contentType === undefined ? 'no Content-Type' : `Content-Type: ${received.contentType}`;
}

function contentTypeFault({ received }: Snapshot): string {
  if (received.contentType === undefined) return 'The request has no content type.';
  if (received.contentType === 'application/json') return 'The parameters were sent as JSON.';
  if (received.contentType === 'multipart/form-data') return 'The form was sent as multipart, as for files.';
  return 'The content type is another one.';
}

export const mediaTypeUnsupported: Topic = ({ snapshot }) => ({
  expected: `Content-Type: ${snapshot.parameter ?? ''}`,
  received: contentTypeText(snapshot),
  difference: { kinds: ['content-type'], text: 'The content type is another one, or missing.' },
  fix: `Send the body as ${snapshot.parameter ?? 'the Accept header of the answer says'}.`,
});

export const jsonInvalid: Topic = ({ snapshot }) => {
  const [fault] = snapshot.faults ?? [];
  const place = fault && fault.pointer !== '' ? `${fault.pointer}: ` : '';
  return {
    expected: 'one JSON value, without repeated members, of at most 2000 members, nested at most 32 levels deep',
    received: `a body of ${snapshot.received.bodyLength ?? 0} bytes`,
    difference: { kinds: ['json'], text: `${place}${fault?.detail ?? 'It is no JSON that this server accepts.'}` },
    fix: 'Write the body with a JSON library.',
  };
};

export const bodyNotUtf8: Topic = ({ snapshot }) => ({
  expected: 'a body in UTF-8',
  received: `a body of ${snapshot.received.bodyLength ?? 0} bytes, some of which are no UTF-8`,
  difference: { kinds: ['encoding'], text: 'The body is in another encoding, or compressed.' },
  fix: 'Encode the parameters as UTF-8 before form-encoding them.',
});

const MAX_REQUEST_LENGTH = 16_384;

export const bodyTooLarge: Topic = ({ snapshot }) => {
  const { bodyLength } = snapshot.received;
  // A limit of its own: the route takes a file, or the answer of an identity provider.
  const { parameter: own } = snapshot;
  return {
    expected: `a body of at most ${own ?? '64 KiB'}`,
    received: bodyLength === undefined ? 'a longer body' : `a body of ${bodyLength} bytes`,
    difference: {
      kinds: ['size'],
      text: own ? 'The body is too large.' : 'No request of this interface needs that much.',
    },
    fix: own ? 'Send less at once: split the file.' : 'Look for a parameter that grew by mistake.',
  };
};

export const tooManyParameters: Topic = ({ snapshot }) => {
  const { bodyLength = 0, queryLength = 0 } = snapshot.received;
  return {
    expected: `at most ${MAX_PARAMS} parameters`,
    received: `more than that, in ${queryLength} characters of the query and ${bodyLength} bytes of the body`,
    difference: { kinds: ['size'], text: 'No request of this interface needs that many.' },
    fix: 'Look for a loop that adds parameters.',
  };
};

export const requestTooLarge: Topic = ({ snapshot }) => {
  const { bodyLength, queryLength, params } = snapshot.received;
  const longest = Object.entries(params)
    .map(([name, { value }]) => ({ name, length: ('length' in value ? value.length : undefined) ?? 0 }))
    .sort((a, b) => b.length - a.length)[0];
  const text =
    longest && longest.length > 0
      ? `The longest parameter is ${longest.name}, with ${longest.length} characters.`
      : 'It is too long.';
  return {
    expected: `an authorization request of at most ${MAX_REQUEST_LENGTH} characters`,
    received: `${queryLength ?? bodyLength ?? 0} characters`,
    difference: { kinds: ['size'], text },
    fix: 'Keep what belongs to the state in the session of the program, and send only its key.',
  };
};
