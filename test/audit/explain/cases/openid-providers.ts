import { authorizationUrl, Visitor } from '../../../build/visitor.ts';
import { buttonOf, toAnswer } from '../../../people/federation/federated.ts';
import type { Case, World } from './world.ts';

/** From the button of a provider. */
async function leaveFor({ server }: World, id: string) {
  const visitor = new Visitor(server.base);
  const page = await visitor.follow(authorizationUrl(server, { client_id: 'visitor' }, 'fair'));
  const { action, fields } = buttonOf(page, id);
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: server.base };
  return { visitor, gone: await visitor.go(action, { method: 'POST', body: fields.toString(), headers }) };
}

async function comeBackFrom(world: World, id: string, change: (answer: URL) => void = () => {}) {
  const { visitor, gone } = await leaveFor(world, id);
  const answer = new URL(await toAnswer(world.server, gone));
  change(answer);
  return visitor.go(answer.href);
}

/** Sign-ins with identity providers. */
export const openidProviderCases: readonly Case[] = [
  {
    row: 'providerUnavailable',
    name: 'nobody answers at its address',
    refuse: async world => (await leaveFor(world, 'gone')).gone,
    app: 'fair',
    client: 'visitor',
    expected: /five seconds/,
    received: /^Gone Inc\. did not answer: .*ECONNREFUSED/,
    kinds: ['providerUnavailable'],
    difference: /Nobody answers at its address/,
    failed: 'provider asked',
  },
  {
    row: 'providerRefused',
    name: 'the secret there is another',
    refuse: world => comeBackFrom(world, 'wrong'),
    app: 'fair',
    client: 'visitor',
    received: /^Wrong Ltd answered invalid_client$/,
    kinds: ['invalid_client'],
    difference: /The secret there is another/,
    fix: /Make a new secret at the provider/,
    failed: 'person identified',
  },
  {
    row: 'providerAnswerInvalid',
    name: 'the answer names another issuer (RFC 9207)',
    refuse: world => comeBackFrom(world, 'oidc', ({ searchParams }) => searchParams.set('iss', 'https://evil.example')),
    app: 'fair',
    client: 'visitor',
    received: /^oidc sent an answer that does not hold: .*iss/,
    kinds: ['providerAnswerInvalid'],
    difference: /another issuer/,
    failed: 'person identified',
  },
  {
    row: 'providerPersonRefused',
    name: 'the person has no account, and the provider creates none',
    refuse: world => comeBackFrom(world, 'oidc'),
    app: 'fair',
    client: 'visitor',
    kinds: ['unknownPerson'],
    fix: /create_users/,
    failed: 'account found',
  },
  {
    row: 'providerAnswerUnexpected',
    name: 'an answer in a browser that was never sent to the provider',
    refuse: ({ server }) =>
      new Visitor(server.base).go(`${server.base}/login/provider/oidc/callback?code=x&state=y&iss=z`),
    app: null,
    kinds: ['not-waiting'],
    fix: /in one browser/,
    failed: 'sign-in found',
  },
];
