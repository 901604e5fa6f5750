import { aWaitingDevice, decide, pollFor, requestDevice, typeCode } from '../../../build/device.ts';
import { type Case, HUSH, untilLimited } from './world.ts';

const TV = { client: 'tv', failed: 'grant checked' } as const;

/** What the device authorization grant (RFC 8628) and the page /device refuse. */
export const deviceCases: readonly Case[] = [
  {
    row: 'grantTypeNotAllowed',
    name: 'a device authorization request of a client without the grant',
    refuse: ({ server }) => requestDevice(server, { client_id: 'spa' }),
    client: 'spa',
    received: /a device authorization request/,
    kinds: ['grant-type'],
    fix: /if it runs on devices without a browser/,
    failed: 'grant type allowed',
  },
  {
    row: 'scopeInvalid',
    name: 'a device that asks for a scope its client may not have',
    refuse: ({ server }) => requestDevice(server, { scope: 'openid orders:read' }),
    client: 'tv',
    kinds: ['not-allowed'],
    failed: 'scope allowed',
  },
  {
    row: 'tooManyDeviceRequests',
    name: 'a flood of requests of a client without a secret',
    refuse: world => untilLimited(world, () => requestDevice(world.server)),
    client: 'tv',
    kinds: ['limit'],
    difference: /More are taken in \d+ s/,
    failed: 'number of requests allowed',
  },
  {
    row: 'slowDown',
    name: 'a device that polls twice at once',
    refuse: async ({ server }) => {
      const device = await aWaitingDevice(server);
      await pollFor(server, device);
      return pollFor(server, device);
    },
    ...TV,
    expected: /at least 5 s between two polls/,
    kinds: ['too-early'],
    difference: /The interval is 10 s from now on/,
  },
  {
    row: 'deviceCodeExpired',
    name: 'a device that polls too long',
    refuse: async ({ server, clock }) => {
      const device = await aWaitingDevice(server);
      clock.advance(600);
      return pollFor(server, device);
    },
    ...TV,
    kinds: ['expired'],
  },
  {
    row: 'deviceDenied',
    name: 'a device that the user has denied',
    refuse: async ({ server }) => {
      const device = await aWaitingDevice(server);
      await decide(server, device.user_code, 'deny');
      return pollFor(server, device);
    },
    ...TV,
    received: /device_code: a device code of 55 characters \(not kept\)/,
    kinds: ['denied'],
  },
  {
    row: 'deviceCodeInvalid',
    name: 'a device code of another client',
    refuse: async ({ server }) => pollFor(server, await aWaitingDevice(server), { client_id: 'screen' }),
    ...{ ...TV, client: 'screen' },
    kinds: ['another-client'],
  },
  {
    row: 'deviceCodeInvalid',
    name: 'something else instead of a device code',
    refuse: ({ server }) => pollFor(server, { device_code: HUSH }),
    ...TV,
    kinds: ['unknown'],
  },
  {
    row: 'deviceCodeRedeemed',
    name: 'a device that goes on polling with its tokens',
    refuse: async ({ server }) => {
      const device = await aWaitingDevice(server);
      await decide(server, device.user_code, 'allow');
      await pollFor(server, device);
      return pollFor(server, device);
    },
    ...TV,
    kinds: ['already-redeemed'],
  },
  {
    row: 'userCodeInvalid',
    name: 'a code that no device shows',
    refuse: ({ server }) => typeCode(server, 'BCDF-GHJK'),
    app: null,
    received: /user_code: 9 characters \(not kept\)/,
    kinds: ['unknown'],
    failed: 'code of the device known',
  },
  {
    row: 'tooManyUserCodes',
    name: 'many codes that no device shows',
    refuse: world => untilLimited(world, () => typeCode(world.server, 'BCDF-GHJK')),
    app: null,
    kinds: ['limit'],
    difference: /is looked up in \d+ s/,
    failed: 'code of the device known',
  },
];
