import { aCode, aPkcePair, redeem } from '../../../build/client.ts';
import { Visitor } from '../../../build/visitor.ts';
import { type Case, HUSH, OTHER_CLIENT, PKCE, PKCE_PAIR } from './world.ts';

const { verifier, challenge } = PKCE_PAIR;

export const codeCases: readonly Case[] = [
  {
    row: 'codeUnknown',
    name: 'a code of another application',
    refuse: async ({ server }) => redeem(server, await aCode(server, { client_id: 'blogger' }, { app: 'blog' })),
    client: 'web',
    received: /code: an authorization code of 55 characters \(not kept\)/,
    kinds: ['another-application'],
    difference: /issued by the application blog/,
    failed: 'grant checked',
  },
  {
    row: 'codeUnknown',
    name: 'a code that was cut',
    refuse: async ({ server }) => redeem(server, (await aCode(server)).slice(0, 40)),
    client: 'web',
    kinds: ['length'],
    difference: /A code has 55 characters, 40 came/,
    failed: 'grant checked',
  },
  {
    row: 'codeUnknown',
    name: 'something else in the place of the code',
    refuse: ({ server }) => redeem(server, HUSH),
    client: 'web',
    kinds: ['not-a-code'],
    failed: 'grant checked',
  },
  {
    row: 'codeInvalid',
    name: 'a code of another client',
    refuse: async ({ server }) => redeem(server, await aCode(server), {}, OTHER_CLIENT),
    client: 'other',
    kinds: ['another-client'],
    difference: /issued to client web/,
    fix: /with the credentials of client web/,
    failed: 'grant checked',
  },
  {
    row: 'codeExpired',
    name: 'a code that is too old',
    refuse: async ({ server, clock }) => {
      const code = await aCode(server);
      clock.advance(300 + 252);
      return redeem(server, code);
    },
    client: 'web',
    kinds: ['expired'],
    difference: /^Expired by 4 min 12 s: it was good until 20/,
    failed: 'grant checked',
  },
  {
    row: 'codeExpired',
    name: 'a code whose user signed out',
    refuse: async ({ server }) => {
      const visitor = new Visitor(server.base);
      const code = await aCode(server, {}, { visitor });
      await visitor.send({ action: `${server.base}/logout`, fields: new URLSearchParams() });
      return redeem(server, code);
    },
    client: 'web',
    kinds: ['signed-out'],
    failed: 'grant checked',
  },
  {
    row: 'codeReplayed',
    name: 'a code that was redeemed',
    refuse: async ({ server, clock }) => {
      const code = await aCode(server);
      await redeem(server, code);
      clock.advance(7);
      return redeem(server, code);
    },
    client: 'web',
    kinds: ['already-redeemed'],
    difference: /already redeemed at 20\S+Z, 7 s before/,
    failed: 'grant checked',
  },
  {
    row: 'redirectUriDiffers',
    name: 'another redirect_uri with the code',
    refuse: async ({ server }) => redeem(server, await aCode(server), { redirect_uri: 'https://client.example/cb/' }),
    client: 'web',
    expected: /^https:\/\/client\.example\/cb$/,
    kinds: ['trailing-slash'],
    failed: 'grant checked',
  },
  {
    row: 'verifierWrong',
    name: 'the challenge in the place of the verifier',
    refuse: async ({ server }) => redeem(server, await aCode(server, PKCE), { code_verifier: challenge }),
    client: 'web',
    kinds: ['challenge-sent'],
    failed: 'grant checked',
  },
  {
    row: 'verifierWrong',
    name: 'the verifier of another request',
    refuse: async ({ server }) => redeem(server, await aCode(server, PKCE), { code_verifier: aPkcePair().verifier }),
    client: 'web',
    received: /code_verifier: 43 characters \(not kept\)/,
    kinds: ['hash'],
    failed: 'grant checked',
  },
  {
    row: 'verifierUnexpected',
    name: 'a verifier for a code without a challenge',
    refuse: async ({ server }) => redeem(server, await aCode(server), { code_verifier: verifier }),
    client: 'web',
    kinds: ['no-challenge'],
    failed: 'grant checked',
  },
];
