import { authorizationUrl, Visitor } from '../../../build/visitor.ts';
import { buttonOf } from '../../../people/federation/federated.ts';
import { answerOf, callbackAt, leaveFor, post } from '../../../people/saml/corp.ts';
import { byPost, logoutXml } from '../../../people/saml/logout-messages.ts';
import { NOW, responseXml, stranger } from '../../../people/saml/messages.ts';
import type { Case, World } from './world.ts';

/** What identity providers answer, and who may sign in with them: one of SAML, whose answers are written here. */

const REQUESTER = '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Requester"/>';

/** To the provider and back: the answer that refuses is the redirect to the sign-in page. */
const answered =
  (answer: (server: World['server'], id: string, ahead: number) => string): Case['refuse'] =>
  async ({ server, clock }) => {
    const { visitor, id } = await leaveFor(server, {}, 'federated');
    const { location = '' } = await post(server, answer(server, id, clock.now() - NOW));
    return visitor.go(location);
  };

export const providerCases: readonly Case[] = [
  {
    row: 'providerUnavailable',
    name: 'a provider that must not be asked',
    app: 'federated',
    client: 'web',
    refuse: async ({ server }) => {
      const visitor = new Visitor(server.base);
      const { action, fields } = buttonOf(await visitor.follow(authorizationUrl(server, {}, 'federated')), 'quiet');
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      return visitor.go(action, { method: 'POST', body: fields.toString(), headers });
    },
    kinds: ['providerUnavailable'],
    difference: /belongs to a private network/,
    failed: 'provider asked',
  },
  {
    row: 'providerRefused',
    name: 'a provider that says no',
    app: 'federated',
    client: 'web',
    refuse: answered((server, id) =>
      responseXml('', { status: REQUESTER, inResponseTo: id, destination: callbackAt(server) }),
    ),
    received: /^Corp refused: /,
    kinds: ['providerRefused'],
    difference: /The provider said Requester/,
    failed: 'person identified',
  },
  {
    row: 'providerAnswerInvalid',
    name: 'a response that is signed by somebody else',
    app: 'federated',
    client: 'web',
    refuse: answered((server, id) => answerOf(server, id, {}, {}, { key: stranger.privateKey })),
    kinds: ['providerAnswerInvalid'],
    difference: /No key in the metadata of the provider/,
    fix: /metadata_url/,
    failed: 'person identified',
  },
  {
    row: 'providerAnswerInvalid',
    name: 'a response that no request asked for',
    app: null,
    refuse: ({ server }) => post(server, responseXml('', { inResponseTo: null, destination: null })),
    kinds: ['providerAnswerInvalid'],
    failed: 'person identified',
  },
  {
    row: 'providerAnswerUnexpected',
    name: 'a response in another browser',
    app: null,
    refuse: async ({ server }) => {
      const { id } = await leaveFor(server, {}, 'federated');
      const { location = '' } = await post(server, answerOf(server, id, {}, {}, { key: stranger.privateKey }));
      return new Visitor(server.base).go(location);
    },
    kinds: ['not-waiting'],
    difference: /No sign-in of this browser waits for it/,
    failed: 'sign-in found',
  },
  {
    row: 'providerSignOutRefused',
    name: 'a request of a provider to sign somebody out that nobody has signed',
    app: null,
    refuse: ({ server }) => byPost(server, logoutXml(server)),
    kinds: ['providerSignOutRefused'],
    difference: /The request is not signed/,
    fix: /Turn on signing of logout requests/,
    failed: 'person identified',
  },
  {
    row: 'providerPersonRefused',
    name: 'a person who has no account',
    app: 'federated',
    client: 'web',
    refuse: answered((server, id, ahead) =>
      answerOf(server, id, {
        attributes: '',
        issued: ahead,
        confirmedUntil: ahead + 300,
        notBefore: ahead,
        notOnOrAfter: ahead + 300,
        authenticated: ahead,
        sessionEnd: ahead + 300,
      }),
    ),
    kinds: ['unknownPerson'],
    difference: /has no account here/,
    failed: 'account found',
  },
];
