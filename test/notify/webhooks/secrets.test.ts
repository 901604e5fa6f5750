import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { newWebhookSecrets, rotateWebhookSecrets, signingSecrets } from '../../../src/notify/webhooks/secrets.ts';
import { createKeyRing } from '../../../src/platform/crypto/key-ring.ts';

const NOW = 1_800_000_000;
const random = { bytes: randomBytes };
const [OLD, NEW] = ['the secret of last year, thirty-two bytes', 'the secret of this year, thirty-two bytes'];
const keys = (...secrets: string[]) => ({ ring: createKeyRing(secrets, random), random });
const shown = (secrets: readonly Buffer[] | undefined) => secrets?.map(secret => `whsec_${secret.toString('base64')}`);

describe('the secrets of a webhook', () => {
  it('sign with the current one first, and with former ones until their time is over', () => {
    const own = keys(NEW);
    const first = newWebhookSecrets(own, 'whk_1');
    const second = rotateWebhookSecrets(own, 'whk_1', first.sealed, NOW, NOW + 100);
    const at = (time: number) => shown(signingSecrets(own, 'whk_1', second.sealed, time));
    assert.deepEqual(at(NOW + 99), [second.secret, first.secret]);
    assert.deepEqual(at(NOW + 100), [second.secret]);
  });

  it('another rotation does not prolong the former ones, and can end them', () => {
    const own = keys(NEW);
    const first = newWebhookSecrets(own, 'whk_1');
    const second = rotateWebhookSecrets(own, 'whk_1', first.sealed, NOW, NOW + 100);
    const third = rotateWebhookSecrets(own, 'whk_1', second.sealed, NOW, NOW + 500);
    assert.deepEqual(shown(signingSecrets(own, 'whk_1', third.sealed, NOW + 100)), [third.secret, second.secret]);
    const fourth = rotateWebhookSecrets(own, 'whk_1', third.sealed, NOW, NOW);
    assert.deepEqual(shown(signingSecrets(own, 'whk_1', fourth.sealed, NOW)), [fourth.secret]);
  });

  it('are four at most', () => {
    const own = keys(NEW);
    let last = newWebhookSecrets(own, 'whk_1');
    for (let count = 0; count < 10; count++) last = rotateWebhookSecrets(own, 'whk_1', last.sealed, NOW, NOW + 100);
    assert.equal(signingSecrets(own, 'whk_1', last.sealed, NOW)?.length, 4);
  });

  it('do not open for another webhook, nor without the secret of the server', () => {
    const { sealed } = newWebhookSecrets(keys(OLD), 'whk_1');
    assert.equal(signingSecrets(keys(OLD), 'whk_2', sealed, NOW), undefined);
    assert.equal(signingSecrets(keys(NEW), 'whk_1', sealed, NOW), undefined);
    assert.equal(signingSecrets(keys(NEW, OLD), 'whk_1', sealed, NOW)?.length, 1);
  });

  it('that cannot be opened any more are replaced by a rotation', () => {
    const { sealed } = newWebhookSecrets(keys(OLD), 'whk_1');
    const rotated = rotateWebhookSecrets(keys(NEW), 'whk_1', sealed, NOW, NOW + 100);
    assert.deepEqual(shown(signingSecrets(keys(NEW), 'whk_1', rotated.sealed, NOW)), [rotated.secret]);
  });
});
