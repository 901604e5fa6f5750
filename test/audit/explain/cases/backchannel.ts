import {
  asDesk,
  askPerson,
  aWaitingRequest,
  decideRequest,
  fetchTokens,
  theApprovals,
} from '../../../build/approvals.ts';
import { signedBy } from '../../../build/assertion.ts';
import { basic } from '../../../build/client.ts';
import { aUser } from '../../../build/fixture.ts';
import { formWith, Visitor } from '../../../build/visitor.ts';
import { type Case, HUSH, SIGNING, untilLimited, type World } from './world.ts';

const DESK = { client: 'desk' } as const;
const POLL = { ...DESK, failed: 'grant checked' } as const;
const PARAMETERS = { ...DESK, failed: 'parameters complete' } as const;
const PERSON = { ...DESK, failed: 'person found' } as const;
const CODE = { ...DESK, failed: 'approval code checked' } as const;
const AS_SIGNING_DESK = asDesk('signing-desk');

/** A request that its person has decided about. Each asks somebody else: a handful in an hour reach a person. */
async function decided(world: World, action: 'allow' | 'deny') {
  const request = await waiting(world);
  await decideRequest(world.server, action, new Visitor(world.server.base), request.username);
  return request;
}

let people = 0;
async function aPerson({ server }: World): Promise<string> {
  const username = `asked${++people}`;
  const nobodyElse = { email: `${username}@example.com`, phone_number: null, phone_number_verified: false };
  await server.provision({ users: [aUser({ username, ...nobodyElse })] });
  return username;
}

async function withCode(world: World): Promise<string> {
  const username = await aPerson(world);
  const visitor = new Visitor(world.server.base);
  const page = await theApprovals(world.server, visitor, username);
  await visitor.send(formWith(page, 'approval_code'), { approval_code: 'pelican 42', action: 'set_code' });
  return username;
}

async function waiting(world: World) {
  const { server } = world;
  const username = await aPerson(world);
  return { ...(await aWaitingRequest(server, { login_hint: username })), username };
}

/** What backchannel requests (CIBA) and the page /account/approvals refuse. */
export const backchannelCases: readonly Case[] = [
  {
    row: 'grantTypeNotAllowed',
    name: 'a backchannel request of a client without the grant',
    refuse: ({ server }) => askPerson(server, {}, { auth: basic('other', 'web-secret-1') }),
    client: 'other',
    received: /a backchannel request/,
    kinds: ['grant-type'],
    failed: 'grant type allowed',
  },
  {
    row: 'backchannelHintNeeded',
    name: 'two hints',
    refuse: ({ server }) => askPerson(server, { id_token_hint: HUSH }),
    ...PARAMETERS,
    kinds: ['hints'],
  },
  {
    row: 'bindingMessageInvalid',
    name: 'a message of two lines',
    refuse: ({ server }) => askPerson(server, { binding_message: `${HUSH}\nand more` }),
    ...PARAMETERS,
    kinds: ['not-shown'],
  },
  {
    row: 'unknownUserId',
    name: 'a hint for nobody',
    refuse: ({ server }) => askPerson(server, { login_hint: HUSH }),
    ...PERSON,
    received: /login_hint: \d+ characters \(not kept\)/,
    kinds: ['nobody'],
  },
  {
    row: 'tooManyLoginHints',
    name: 'one name after the other',
    refuse: world => untilLimited(world, () => askPerson(world.server, { login_hint: 'nobody' })),
    ...PERSON,
    kinds: ['limit'],
    difference: /is looked up in \d+ s/,
  },
  {
    row: 'loginHintTokenExpired',
    name: 'a login_hint_token of yesterday',
    refuse: ({ server, clock }) => {
      const claims = { sub_id: { format: 'opaque', id: 'alice' } };
      const yesterday = { clientId: 'hinting-desk', audience: server.at(), now: clock.now() - 86_400, claims };
      const hint = { login_hint: undefined, login_hint_token: signedBy(SIGNING, yesterday) };
      return askPerson(server, hint, asDesk('hinting-desk'));
    },
    ...{ ...PERSON, client: 'hinting-desk' },
    kinds: ['expired'],
  },
  {
    row: 'approvalCodeMissing',
    name: 'a request without the code that its person has set',
    refuse: async world => askPerson(world.server, { login_hint: await withCode(world) }),
    ...CODE,
    kinds: ['missing'],
  },
  {
    row: 'approvalCodeWrong',
    name: 'a request with another code',
    refuse: async world => askPerson(world.server, { login_hint: await withCode(world), user_code: HUSH }),
    ...CODE,
    received: /user_code: \d+ characters \(not kept\)/,
    kinds: ['wrong'],
  },
  {
    row: 'tooManyApprovalCodes',
    name: 'one code after the other',
    refuse: async world => {
      const login_hint = await withCode(world);
      return untilLimited(world, () => askPerson(world.server, { login_hint, user_code: HUSH }));
    },
    ...CODE,
    kinds: ['limit'],
    difference: /is compared in \d+/,
  },
  {
    row: 'tooManyApprovalRequests',
    name: 'many requests to one person',
    refuse: world => untilLimited(world, () => askPerson(world.server, { login_hint: 'bob' })),
    ...{ ...DESK, failed: 'number of requests allowed' },
    kinds: ['limit'],
    difference: /One more is taken in \d+/,
  },
  {
    row: 'backchannelRequestInvalid',
    name: 'a signed request that is no JWT',
    refuse: ({ server }) =>
      askPerson(server, { scope: undefined, login_hint: undefined, request: HUSH }, AS_SIGNING_DESK),
    client: 'signing-desk',
    kinds: ['malformed'],
    failed: 'signed request opened',
  },
  {
    row: 'backchannelRequestUnsigned',
    name: 'a request that is not signed, of a client that signs',
    refuse: ({ server }) => askPerson(server, {}, AS_SIGNING_DESK),
    client: 'signing-desk',
    kinds: ['not-signed'],
    failed: 'signed request opened',
  },
  {
    row: 'authReqIdInvalid',
    name: 'something else instead of an auth_req_id',
    refuse: ({ server }) => fetchTokens(server, { auth_req_id: HUSH }),
    ...POLL,
    kinds: ['unknown'],
  },
  {
    row: 'authReqIdInvalid',
    name: 'an auth_req_id of another client',
    refuse: async world => fetchTokens(world.server, await waiting(world), {}, asDesk('hinting-desk')),
    ...{ ...POLL, client: 'hinting-desk' },
    kinds: ['another-client'],
  },
  {
    row: 'authReqIdRedeemed',
    name: 'a client that goes on polling with its tokens',
    refuse: async world => {
      const request = await decided(world, 'allow');
      await fetchTokens(world.server, request);
      return fetchTokens(world.server, request);
    },
    ...POLL,
    received: /auth_req_id: an auth_req_id of 55 characters \(not kept\)/,
    kinds: ['already-redeemed'],
  },
  {
    row: 'authReqIdExpired',
    name: 'a client that polls too long',
    refuse: async world => {
      const request = await waiting(world);
      world.clock.advance(600);
      return fetchTokens(world.server, request);
    },
    ...POLL,
    kinds: ['expired'],
  },
  {
    row: 'approvalDenied',
    name: 'a request that its person has denied',
    refuse: async world => fetchTokens(world.server, await decided(world, 'deny')),
    ...POLL,
    kinds: ['denied'],
  },
  {
    row: 'approvalUserNotAllowed',
    name: 'a person who has lost the access since',
    refuse: async world => {
      const request = await decided(world, 'allow');
      const access = (value: object | string) => world.owner.ask('PATCH', '/applications/shop', { access: value });
      await access({ groups: ['staff'] });
      const refused = await fetchTokens(world.server, request);
      await access('everybody');
      return refused;
    },
    ...POLL,
    expected: /in the group staff/,
    kinds: ['no-access'],
  },
  {
    row: 'approvalUnknown',
    name: 'the page of a request to somebody else',
    refuse: async ({ server }) => {
      const visitor = new Visitor(server.base);
      await theApprovals(server, visitor);
      return visitor.follow(`${server.base}/account/approvals?request=apr_of_somebody_else`);
    },
    app: null,
    kinds: ['unknown'],
    failed: 'request to this person known',
  },
];
