import { aTokenSet, refresh, revoke } from '../../../build/client.ts';
import { type Case, OTHER_CLIENT } from './world.ts';

export const refreshTokenCases: readonly Case[] = [
  {
    row: 'refreshTokenInvalid',
    name: 'a refresh token of another client',
    refuse: async ({ server }) => refresh(server, (await aTokenSet(server)).refresh_token, {}, OTHER_CLIENT),
    client: 'other',
    received: /refresh_token: a refresh token of 55 characters/,
    kinds: ['another-client'],
    difference: /issued to client web/,
    failed: 'grant checked',
  },
  {
    row: 'refreshTokenInvalid',
    name: 'a refresh token that was revoked',
    refuse: async ({ server, clock }) => {
      const { refresh_token } = await aTokenSet(server);
      await revoke(server, { token: refresh_token });
      clock.advance(3700);
      return refresh(server, refresh_token);
    },
    client: 'web',
    kinds: ['revoked'],
    difference: /1 h 1 min before/,
    failed: 'grant checked',
  },
  {
    row: 'refreshTokenInvalid',
    name: 'an access token in the place of the refresh token',
    refuse: async ({ server }) => refresh(server, (await aTokenSet(server)).access_token),
    client: 'web',
    kinds: ['another-kind'],
    failed: 'grant checked',
  },
  {
    row: 'refreshTokenExpired',
    name: 'a refresh token after refresh_token_ttl',
    refuse: async ({ server, clock }) => {
      const { refresh_token } = await aTokenSet(server);
      clock.advance(2_592_000 + 252);
      return refresh(server, refresh_token);
    },
    client: 'web',
    expected: /refresh_token_ttl \(30 d\)/,
    kinds: ['expired'],
    difference: /Expired by 4 min 12 s/,
    failed: 'grant checked',
  },
  {
    row: 'refreshTokenReused',
    name: 'a rotated refresh token after the grace period',
    refuse: async ({ server, clock }) => {
      const { refresh_token } = await aTokenSet(server);
      await refresh(server, refresh_token);
      clock.advance(90);
      return refresh(server, refresh_token);
    },
    client: 'web',
    kinds: ['after-grace'],
    difference: /used again 1 min 30 s after it was rotated/,
    failed: 'grant checked',
  },
  {
    row: 'refreshTokenReused',
    name: 'a rotated refresh token whose successor was used',
    refuse: async ({ server }) => {
      const { refresh_token } = await aTokenSet(server);
      const next = await refresh(server, refresh_token);
      await refresh(server, next.json.refresh_token);
      return refresh(server, refresh_token);
    },
    client: 'web',
    kinds: ['successor-used'],
    failed: 'grant checked',
  },
  {
    row: 'scopeInvalid',
    name: 'a refresh that asks for more',
    refuse: async ({ server }) => {
      const { refresh_token } = await aTokenSet(server, { scope: 'openid' });
      return refresh(server, refresh_token, { scope: 'openid email' });
    },
    client: 'web',
    expected: /granted at the login: openid$/,
    kinds: ['wider'],
    failed: 'scope allowed',
  },
];
