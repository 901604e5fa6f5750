import assert from 'node:assert/strict';
import { encoded } from '../../../build/assertion.ts';
import { send } from '../../../build/client.ts';
import { signedIn } from '../../../build/people.ts';
import { authorizationUrl } from '../../../build/visitor.ts';
import { authorize, type Case, untilLimited, type World } from './world.ts';

const METADATA = { client_name: 'Assistant', redirect_uris: ['https://assistant.example/cb'] };

const register =
  (fields: Record<string, unknown> = {}, app = 'guests', token?: string) =>
  ({ server }: World) =>
    send(`${server.at(app)}/register`, {
      method: 'POST',
      body: JSON.stringify({ ...METADATA, ...fields }),
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    });

const unsigned = (claims: object) => `${encoded({ alg: 'RS256' })}.${encoded(claims)}.c2ln`;

let addresses = 0;

/** Clients that register themselves: by the address of a document, and at /register. */
export const selfRegistrationCases: readonly Case[] = [
  {
    row: 'clientDocumentInvalid',
    name: 'an address that cannot be reached',
    refuse: authorize({ client_id: 'https://10.0.0.1/client.json' }, 'guests'),
    app: 'guests',
    received: /client_id: https:\/\/10\.0\.0\.1\/client\.json/,
    kinds: ['client-document'],
    difference: /The address is not public/,
    failed: 'client recognised',
  },
  {
    row: 'clientDocumentInvalid',
    name: 'a host that the application does not allow',
    refuse: authorize({ client_id: 'https://assistant.example/client.json' }),
    kinds: ['client-document'],
    difference: /client_id_metadata of the application does not allow/,
    fix: /change client_id_metadata/,
    failed: 'client recognised',
  },
  {
    row: 'tooManyClientDocuments',
    name: 'a flood of addresses',
    refuse: world =>
      untilLimited(world, () => authorize({ client_id: `https://10.0.0.1/${++addresses}` }, 'guests')(world)),
    app: 'guests',
    kinds: ['limit'],
    difference: /More are taken in \d+ (s|min)/,
    failed: 'client recognised',
  },
  {
    row: 'consentRequired',
    name: 'prompt=none of a client that has registered itself',
    refuse: async world => {
      const [web] = await world.services.store.clientsOf('guests');
      assert(web);
      const own = { ...web, client_id: 'assistant', origin: 'dynamic_registration' } as const;
      await world.services.store.provision([{ kind: 'client', app: 'guests', client: own }]);
      const visitor = await signedIn(world.server);
      return visitor.go(authorizationUrl(world.server, { client_id: 'assistant', prompt: 'none' }, 'guests'));
    },
    app: 'guests',
    client: 'assistant',
    kinds: ['consent-each-time'],
    failed: 'consent given',
  },
  {
    row: 'registrationTokenInvalid',
    name: 'a registration without an initial access token',
    refuse: register({}, 'partners'),
    app: 'partners',
    kinds: ['missing'],
    failed: 'token checked',
  },
  {
    row: 'registrationTokenInvalid',
    name: 'a registration with a token that nobody has made',
    refuse: register({}, 'partners', 'gia_invented'),
    app: 'partners',
    kinds: ['token-unknown'],
    failed: 'token checked',
  },
  {
    row: 'redirectUriRejected',
    name: 'a redirect address that runs a script',
    refuse: register({ redirect_uris: ['javascript:alert(1)'] }),
    app: 'guests',
    kinds: ['redirect-uri'],
    difference: /redirect_uris: must not use the scheme javascript/,
    failed: 'metadata checked',
  },
  {
    row: 'clientMetadataInvalid',
    name: 'a method of authentication that does not exist',
    refuse: register({ token_endpoint_auth_method: 'nonsense' }),
    app: 'guests',
    kinds: ['metadata'],
    difference: /token_endpoint_auth_method: must be one of/,
    failed: 'metadata checked',
  },
  {
    row: 'softwareStatementInvalid',
    name: 'a software statement that is none',
    refuse: register({ software_statement: 'x' }),
    app: 'guests',
    kinds: ['statement', 'malformed'],
    difference: /It is no signed JWT/,
    failed: 'metadata checked',
  },
  {
    row: 'softwareStatementUnapproved',
    name: 'a software statement of somebody',
    refuse: register({ software_statement: unsigned({ iss: 'https://x.example' }) }),
    app: 'guests',
    received: /https:\/\/x\.example/,
    fix: /add it with its keys to software_statements/,
    kinds: ['not-allowed'],
    failed: 'metadata checked',
  },
  {
    row: 'softwareStatementUnapproved',
    name: 'a secret and the commands of a terminal in the place of its issuer',
    refuse: register({ software_statement: unsigned({ iss: 'grt_0123456789abcdefghij\u001b[2J' }) }),
    app: 'guests',
    received: /^a statement of another issuer$/,
    kinds: ['not-allowed'],
    failed: 'metadata checked',
  },
  {
    row: 'statementKeysUnreachable',
    name: 'keys of an issuer at an address that is not public',
    refuse: register({ software_statement: unsigned({ iss: 'directory', software_id: 'x' }) }),
    app: 'guests',
    fix: /Open jwks_uri from the network of this server/,
    kinds: ['jwks-uri'],
    failed: 'metadata checked',
  },
  {
    row: 'softwareStatementInvalid',
    name: 'a software statement that has expired',
    refuse: register({ software_statement: unsigned({ iss: 'directory', software_id: 'x', exp: 1 }) }),
    app: 'guests',
    difference: /It has expired/,
    fix: /new statement/,
    kinds: ['statement', 'expired'],
    failed: 'metadata checked',
  },
  {
    row: 'tooManyClients',
    name: 'an application that is full',
    refuse: async world => {
      world.registrations = 'full';
      try {
        return await register()(world);
      } finally {
        world.registrations = 'stored';
      }
    },
    app: 'guests',
    kinds: ['limit'],
    failed: 'client stored',
  },
  {
    row: 'tooManyRegistrations',
    name: 'a flood of registrations',
    refuse: world => untilLimited(world, () => register()(world)),
    app: 'guests',
    kinds: ['limit'],
    difference: /More are taken in \d+ (s|min)/,
    failed: 'number of registrations allowed',
  },
];
