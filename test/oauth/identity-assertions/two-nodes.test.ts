import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aSigningPair } from '../../build/assertion.ts';
import { fixedClock } from '../../build/clock.ts';
import { aUser } from '../../build/fixture.ts';
import { suiteNodes } from '../../build/suite-nodes.ts';
import { firstInSuite, suitePart } from '../../build/suite-part.ts';
import { assertionOf, bring, openOtherIssuer, trusting } from './other-issuer.ts';

const KEY = aSigningPair('ES256', 'other issuer');

describe('identity assertions on two nodes', () => {
  const clock = fixedClock();
  const other = suitePart(() => openOtherIssuer(KEY));
  const nodes = suiteNodes(
    () => ({
      clock,
      env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' },
      users: [aUser()],
      applications: [trusting(other.at(''), {}, { subject: 'email' })],
    }),
    first => ({ BASE_URL: first.base }),
  );
  firstInSuite(async () => {
    for (const { services } of nodes) await services.registry.refresh();
  });

  it('attack: one assertion, twenty times at once at both: one token', async () => {
    const [first] = nodes;
    const claims = { email: 'alice@example.com', email_verified: true };
    for (let round = 0; round < 5; round++) {
      const assertion = assertionOf({ clock, signer: KEY, issuer: other.at(''), server: first }, { claims });
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, each) => bring(nodes[each % 2] as typeof first, assertion)),
      );
      const statuses = answers.map(({ status }) => status).sort();
      assert.deepEqual(
        statuses,
        [200, ...Array.from({ length: 19 }, () => 400)],
        answers.map(({ text }) => text).join(),
      );
      const refused = answers.filter(({ status }) => status === 400);
      for (const { json } of refused) assert.match(json.error_description, /used before/);
    }
  });
});
