import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { type FailureName, failureDefinitions } from '../../../src/failures.ts';
import { PASSWORD } from '../../build/fixture.ts';
import { accessCases } from './cases/access.ts';
import { accountCases } from './cases/accounts.ts';
import { agentCases } from './cases/agent.ts';
import { authorizationRequestCases } from './cases/authorization-request.ts';
import { backchannelCases } from './cases/backchannel.ts';
import { clientAuthenticationCases } from './cases/client-authentication.ts';
import { codeCases } from './cases/code.ts';
import { deviceCases } from './cases/device.ts';
import { directoryCases } from './cases/directories.ts';
import { dpopCases } from './cases/dpop.ts';
import { identityAssertionCases } from './cases/identity-assertions.ts';
import { logoutCases } from './cases/logout.ts';
import { openidProviderCases } from './cases/openid-providers.ts';
import { otherCases } from './cases/others.ts';
import { providerCases } from './cases/providers.ts';
import { redirectUriCases } from './cases/redirect-uri.ts';
import { refreshTokenCases } from './cases/refresh-token.ts';
import { resourceCases } from './cases/resource.ts';
import { selfRegistrationCases } from './cases/self-registration.ts';
import { signInCases } from './cases/sign-in.ts';
import { tokenExchangeCases } from './cases/token-exchange.ts';
import { tokenRequestCases } from './cases/token-request.ts';
import { assertExplained, aWorld, HUSH, type World } from './cases/world.ts';

const cases = [
  ...redirectUriCases,
  ...authorizationRequestCases,
  ...signInCases,
  ...openidProviderCases,
  ...accessCases,
  ...accountCases,
  ...logoutCases,
  ...codeCases,
  ...deviceCases,
  ...backchannelCases,
  ...directoryCases,
  ...refreshTokenCases,
  ...clientAuthenticationCases,
  ...tokenRequestCases,
  ...resourceCases,
  ...tokenExchangeCases,
  ...identityAssertionCases,
  ...agentCases,
  ...dpopCases,
  ...selfRegistrationCases,
  ...providerCases,
  ...otherCases,
];

describe('every refusal is explained (admin contract, Refusals)', () => {
  let world: World;
  const stored: string[] = [];
  before(async () => {
    world = await aWorld();
    const { store } = world.services;
    const add = store.addRefusals;
    store.addRefusals = (refusals, perMinute) => {
      stored.push(...refusals.map(({ data }) => data));
      return add(refusals, perMinute);
    };
  });
  after(() => world.close());
  beforeEach(() => world.clock.advance(400)); // so that no test is throttled by the failures of another
  afterEach(() => world.services.refusals.flush());

  for (const each of cases) it(`${each.row}: ${each.name}`, () => assertExplained(world, each));

  it('no row of the catalogue is without a case', () => {
    // A device that waits for a person is told so every few seconds: nothing is wrong, and nothing is kept.
    const covered = new Set<FailureName>([...cases.map(({ row }) => row), 'authorizationPending']);
    assert.deepEqual(
      [...covered].sort(),
      failureDefinitions()
        .map(([name]) => name)
        .sort(),
    );
  });

  it('no secret is in what was stored, wherever it was sent', () => {
    assert(stored.length >= cases.length);
    const all = stored.join('\n');
    for (const secret of [HUSH, PASSWORD, 'web-secret-1', world.owner.key]) assert(!all.includes(secret), secret);
    assert.doesNotMatch(all, /g(ac|at|rt|se|ak|pr|ec|eu|dc)_[\w-]{8}|eyJ[\w-]{8}|Basic [A-Za-z0-9+/]{8}/);
  });
});
