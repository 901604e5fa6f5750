import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEVICE_GRANT } from '../../../src/oauth/device/rules.ts';
import { type Answered, aPkcePair, basic, claimsOf, introspect, post, token } from '../../build/client.ts';
import { assertPage, delivered } from '../../build/delivered.ts';
import { theQuestion } from '../../build/device.ts';
import { CALLBACK } from '../../build/fixture.ts';
import { atConsent, press, signedIn } from '../../build/people.ts';
import { fc } from '../../build/random.ts';
import { suiteServer } from '../../build/test-server.ts';
import { type Fields, query, type Seen, type Visitor } from '../../build/visitor.ts';
import {
  type ClientId,
  type Flow,
  History,
  history,
  NAMES,
  type RandomWish,
  type Step,
  textOf,
  within,
} from './granted-scope-histories.ts';
import {
  consentNames,
  type Grant,
  grantOf,
  isStandard,
  mayHave,
  type Refused,
  type Target,
  tokenFor,
  tokenForMachine,
  type Wish,
} from './granted-scope-model.ts';

const auth = (client: string) => ({ auth: basic(client, `${client}-secret-1`) });

const PKCE = aPkcePair();
const CHALLENGE = { code_challenge: PKCE.challenge, code_challenge_method: 'S256' };

const counts = { auth: 0, par: 0, device: 0, refresh: 0, machine: 0, refused: 0, remembered: 0, verifier: 0 };
let visitor: Visitor;
let sub: string;
const server = suiteServer({}, async () => {
  visitor = await signedIn(server);
  sub = (await server.services.store.findAccount('alice'))?.sub ?? '';
});

const body = (fields: Fields, { scope, resources: named }: Wish) =>
  [query({ ...fields, scope: scope?.join(' ') }), ...named.map(one => query({ resource: one }))].join('&');

function assertError(error: string | undefined, errors: readonly string[]): void {
  counts.refused++;
  assert(error !== undefined && errors.includes(error), `${error}, and not ${errors}`);
}

const assertRefusal = ({ status, json, text }: Answered, { errors }: Refused) => {
  assert.equal(status, 400, text);
  assertError(json.error, errors);
};

/** The property: in the answer and at introspection. `isUser`: it acts for a user, who has agreed to it. */
async function assertToken(on: History, one: ClientId, answered: Answered, { api, scope }: Target, isUser: boolean) {
  assert.equal(answered.status, 200, answered.text);
  const { access_token, scope: answeredScope } = answered.json;
  const seen = (await introspect(server, { token: access_token }, auth('reader'))).json;
  assert.deepEqual([seen.active, seen.aud, seen.scope], [true, api ?? server.at(), answeredScope], answered.text);
  if (access_token.split('.').length === 3) assert.equal(claimsOf(access_token).aud, api);
  const has = answeredScope?.split(' ') ?? [];
  assert.deepEqual(has.toSorted(), [...scope].sort());
  const stored = isUser ? await on.stored(one) : [];
  for (const each of has) {
    if (api !== undefined) {
      assert(on.registeredFor(one).includes(each), `${each}: the client is not registered for it`);
      assert(on.apis.get(api)?.includes(each), `${each}: the API does not have it`);
    }
    if (!isUser || each === 'offline_access') continue;
    assert(stored.includes(api === undefined ? each : `${api}#${each}`), `${each}: not in the consent ${stored}`);
    const line = `${NAMES.get(api ?? '')}: ${textOf(each)}`;
    assert(api === undefined || on.agreed.get(one)?.has(line), `${each}: no page has shown it`);
  }
}

/** `allow` on a page that names what it is for; it comes again if that has changed since. */
async function answer(
  on: History,
  one: ClientId,
  page: Seen,
  action: 'allow' | 'deny',
  isQuestion: (seen: Seen) => boolean,
) {
  let [shown, seen] = [page, await press(visitor, page, action)];
  if (isQuestion(seen)) [shown, seen] = [seen, await press(visitor, seen, action)];
  assert(!isQuestion(seen), seen.text);
  const lines = [...shown.text.matchAll(/<li>([^<]*)<\/li>/g)].map(([, line = '']) => line);
  if (action === 'allow' && seen.status < 400) for (const line of lines) on.agreed.get(one)?.add(line);
  return seen;
}

/** A code, or nothing where the request was refused as it has to be. */
async function authorize(on: History, { kind, client: one, wish, isByVerifier, isSilent, action, changes }: Flow) {
  const wanted = on.wanted(one, wish);
  const prompt = isSilent ? 'none' : undefined;
  const asked = { client_id: one, response_type: 'code', redirect_uri: CALLBACK, nonce: 'n', prompt };
  const sent = body(isByVerifier ? { ...asked, ...CHALLENGE } : asked, wanted);
  let address = `${server.at()}/auth?${sent}`;
  if (kind === 'par') {
    const pushed = await post(`${server.at()}/par`, sent, auth(one));
    const expected = on.covered(one, wanted);
    if ('errors' in expected) return assertRefusal(pushed, expected);
    assert.equal(pushed.status, 201, pushed.text);
    address = `${server.at()}/auth?${query({ client_id: one, request_uri: pushed.json.request_uri })}`;
  }
  await on.change(changes[0]);
  const covered = on.covered(one, wanted);
  let seen = await visitor.follow(address);
  if ('errors' in covered) return assertError(delivered(seen).fields.error, covered.errors);
  const stored = await on.stored(one);
  const isMissing = (name: string) => name !== 'offline_access' && !stored.includes(name);
  const isAsked = stored.length === 0 || consentNames(on.apis, covered).some(isMissing);
  if (isAsked && isSilent) return assertError(delivered(seen).fields.error, ['consent_required']);
  if (isAsked) {
    assert(atConsent(seen), seen.text);
    await on.change(changes[1]);
    const still = on.covered(one, covered);
    seen = await answer(on, one, seen, action, atConsent);
    // A page that is not true any more is not answered.
    if ('errors' in still) return assertPage(seen, 400);
    if (action === 'deny') return assertError(delivered(seen).fields.error, ['access_denied']);
  } else counts.remembered++;
  const { code } = delivered(seen).fields;
  assert(code !== undefined, `no code: ${seen.location}`);
  return { code, grant: grantOf(on.apis, covered) };
}

async function byCode(on: History, given: Flow): Promise<void> {
  const authorized = await authorize(on, given);
  if (!authorized) return;
  const { client: one, kind, changes, wish, resources, isByVerifier } = given;
  const { code, grant } = authorized;
  await on.change(changes[2]);
  const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
  await issued(on, one, grant, kind, { ...wish, resources }, wanted =>
    isByVerifier
      ? token(server, body({ ...fields, code_verifier: PKCE.verifier }, wanted), {})
      : token(server, body(fields, wanted), auth(one)),
  );
  if (isByVerifier) counts.verifier++;
}

const isDeviceQuestion = (seen: Seen) => seen.text.includes('name="action" value="allow"');

async function byDevice(on: History, { client: one, wish, action, changes, resources }: Flow) {
  const wanted = on.wanted(one, wish);
  const requested = await post(`${server.at()}/device_authorization`, body({}, wanted), auth(one));
  const covered = on.covered(one, wanted);
  if ('errors' in covered) return assertRefusal(requested, covered);
  assert.equal(requested.status, 200, requested.text);
  const { user_code, device_code } = requested.json;
  await on.change(changes[0]);
  const page = await theQuestion(server, user_code, visitor);
  await on.change(changes[1]);
  await answer(on, one, page, action, isDeviceQuestion);
  const isLeft = (scope: string) => mayHave(on.apis, on.registeredFor(one), scope);
  const approved = grantOf(on.apis, { ...covered, scope: covered.scope.filter(isLeft) });
  await on.change(changes[2]);
  const poll = (wished: Wish) => token(server, body({ grant_type: DEVICE_GRANT, device_code }, wished), auth(one));
  if (action === 'deny')
    return assertRefusal(await poll({ scope: undefined, resources: [] }), { errors: ['access_denied'] });
  await issued(on, one, { ...approved, scope: approved.scope.filter(isLeft) }, 'device', { ...wish, resources }, poll);
}

/** The first token of a grant, and the family that it begins. */
async function issued(
  on: History,
  one: ClientId,
  grant: Grant,
  kind: Flow['kind'],
  wish: RandomWish,
  request: (wanted: Wish) => Promise<Answered>,
): Promise<void> {
  const wanted = { ...within(wish, () => true, grant.resources), scope: undefined };
  const expected = tokenFor(on.apis, on.registeredFor(one), grant, wanted);
  const answered = await request(wanted);
  if ('errors' in expected) return assertRefusal(answered, expected);
  await assertToken(on, one, answered, expected, true);
  counts[kind]++;
  on.families.push({ ...grant, client: one, refreshToken: answered.json.refresh_token, isEnded: false });
}

async function byRefresh(on: History, { which, wish }: Step<'refresh'>): Promise<void> {
  const family = on.families[which % on.families.length];
  if (!family) return;
  const { client: one, refreshToken, isEnded } = family;
  const wanted = within(wish, scope => family.scope.includes(scope), family.resources);
  const fields = { grant_type: 'refresh_token', refresh_token: refreshToken };
  const answered = await token(server, body(fields, wanted), auth(one));
  const expected = tokenFor(on.apis, on.registeredFor(one), family, wanted);
  if (isEnded)
    return assertRefusal(answered, { errors: ['invalid_grant', ...('errors' in expected ? expected.errors : [])] });
  if ('errors' in expected) return assertRefusal(answered, expected);
  await assertToken(on, one, answered, expected, true);
  counts.refresh++;
  family.refreshToken = answered.json.refresh_token;
}

async function byMachine(on: History, { client: one, wish }: Step<'machine'>): Promise<void> {
  const wanted = on.wanted(
    one,
    wish.isModest ? { ...wish, scope: wish.scope?.filter(each => !isStandard(each)) } : wish,
  );
  const answered = await token(server, body({ grant_type: 'client_credentials' }, wanted), auth(one));
  const expected = tokenForMachine(on.apis, on.registeredFor(one), wanted);
  if ('errors' in expected) return assertRefusal(answered, expected);
  await assertToken(on, one, answered, expected, false);
  counts.machine++;
}

function take(on: History, next: Step<string>): Promise<void> {
  switch (next.kind) {
    case 'auth':
    case 'par':
      return byCode(on, next);
    case 'device':
      return byDevice(on, next);
    case 'refresh':
      return byRefresh(on, next);
    case 'machine':
      return byMachine(on, next);
    case 'withdraw':
      return on.withdraw(next.client);
    default:
      return on.change(next);
  }
}

describe('random APIs, clients, consents and requests on a server, whose registrations change meanwhile (RFC 8707)', () => {
  it('no token has a scope that the client, the user or the API does not allow, and refusals name the fault', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ apis, scope, steps }) => {
        const on = new History(server, sub, apis);
        await on.begin(scope);
        for (const next of steps) await take(on, next);
      }),
      { numRuns: 70, includeErrorInReport: true },
    );
    for (const [what, count] of Object.entries(counts)) assert(count > 5, `only ${count} ${what}: about nothing`);
  });
});
