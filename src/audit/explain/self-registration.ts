import type { Topic } from './explanation.ts';
import { durationText, paramText } from './wording.ts';

/** Clients that register themselves: documents that they publish, and /register. */

export const clientDocumentInvalid: Topic = ({ snapshot }) => {
  const reason = snapshot.facts?.clientDocument ?? 'the document cannot be read';
  return {
    expected:
      'an https address with a path, of a host that client_id_metadata allows, that gives a JSON object with this client_id',
    received: paramText(snapshot, 'client_id'),
    difference: { kinds: ['client-document'], text: `${sentence(reason)} A failure is remembered for 30 s.` },
    fix: 'Correct the document, or open its address from the network of this server: status 200, no redirect, application/json, at most 5 KB, within 3 s. For another host, change client_id_metadata of the application.',
  };
};

export const tooManyClientDocuments: Topic = ({ snapshot }) => ({
  expected: 'at most 30 addresses of clients that have to be fetched from one network address, one more every 10 s',
  received: 'one more',
  difference: { kinds: ['limit'], text: `More are taken in ${durationText(snapshot.retryAfter ?? 0)}.` },
  fix: 'Use one client_id for all installations of a program. If nobody of yours sends these requests, someone makes this server fetch addresses.',
});

export const registrationTokenInvalid: Topic = ({ snapshot }) => ({
  expected:
    'a bearer token: an initial access token of the application, or the registration access token of the client',
  received: snapshot.received.authorization ? 'another token' : 'no token',
  difference: snapshot.received.authorization
    ? { kinds: ['token-unknown'], text: 'The token is unknown here, has expired, or belongs to another client.' }
    : { kinds: ['missing'], text: 'The request has no Authorization header.' },
  fix: 'Make an initial access token for the application and give it to whoever registers the client.',
});

export const redirectUriRejected: Topic = ({ snapshot }) => ({
  expected: 'https addresses, http addresses of loopback hosts, or private schemes, in full',
  received: 'redirect_uris (not kept)',
  difference: {
    kinds: ['redirect-uri'],
    text: sentence(snapshot.facts?.clientMetadata ?? 'an address is not allowed'),
  },
  fix: 'Correct the address in the registration request.',
});

export const clientMetadataInvalid: Topic = ({ snapshot }) => ({
  expected: 'metadata that an operator could register too',
  received: 'client metadata (not kept)',
  difference: { kinds: ['metadata'], text: sentence(snapshot.facts?.clientMetadata ?? 'a field is not allowed') },
  fix: 'Correct the field in the registration request.',
});

export const tooManyRegistrations: Topic = ({ snapshot }) => ({
  expected: 'at most 20 registrations from one network address, one more every minute',
  received: 'one more',
  difference: { kinds: ['limit'], text: `More are taken in ${durationText(snapshot.retryAfter ?? 0)}.` },
  fix: 'Let the program keep its client_id. If nobody of yours registers, set dynamic_registration to token or off.',
});

export const tooManyClients: Topic = () => ({
  expected: 'at most 10,000 self-registered clients',
  received: 'one more',
  difference: { kinds: ['limit'], text: 'The application has so many, and all of them were used or are new.' },
  fix: 'Delete clients that are not needed, or set dynamic_registration to token or off.',
});

/** The name of a field stays as it is. */
function sentence(text: string): string {
  if (/^[a-z]+_/.test(text)) return `${text}.`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
