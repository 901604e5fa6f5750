import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  pauseAfter,
  RETRY_DELAYS_SECONDS,
  readRetryAfter,
  retryDelaySeconds,
  webhookSignature,
} from '../../../src/notify/webhooks/rules.ts';

const NOW = 1_800_000_000;
const HOUR = 3600;
const DAY = 86_400;

describe('webhooks: the schedule (docs/webhooks.md)', () => {
  it('grows from 5 s to a day, and ends after 72.6 hours', () => {
    assert.deepEqual([RETRY_DELAYS_SECONDS[0], RETRY_DELAYS_SECONDS.at(-1)], [5, DAY]);
    assert(
      RETRY_DELAYS_SECONDS.every((delay, index) => index === 0 || delay >= (RETRY_DELAYS_SECONDS[index - 1] ?? 0)),
    );
    const total = RETRY_DELAYS_SECONDS.reduce((sum, delay) => sum + delay, 0);
    assert.equal(Math.round((total / HOUR) * 10) / 10, 72.6);
    assert.equal(retryDelaySeconds(RETRY_DELAYS_SECONDS.length + 1, 0), undefined);
  });

  it('has an attempt soon after a day, whatever the jitter: only an attempt can find that an endpoint failed for so long', () => {
    for (const random of [0, 0.5, 1]) {
      const since = [1, 2, 3, 4, 5, 6, 7, 8].reduce(
        (sum, attempt) => sum + (retryDelaySeconds(attempt, random) ?? 0),
        0,
      );
      assert(since >= DAY && since < 28 * HOUR, String(since));
    }
  });

  it('is up to a tenth longer by chance, never shorter', () => {
    assert.deepEqual([retryDelaySeconds(2, 0), retryDelaySeconds(2, 1)], [60, 66]);
  });

  it('waits for Retry-After if that is longer, for a day at most', () => {
    assert.equal(retryDelaySeconds(1, 0, 3), 5);
    assert.equal(retryDelaySeconds(1, 0, 100), 100);
    assert.equal(retryDelaySeconds(1, 0, 10 * DAY), DAY);
  });

  it('reads Retry-After as seconds or as a date (RFC 9110 section 10.2.3), and ignores everything else', () => {
    const cases: [header: string | undefined, seconds: number][] = [
      [undefined, 0],
      ['120', 120],
      [new Date((NOW + 90) * 1000).toUTCString(), 90],
      [new Date((NOW - 90) * 1000).toUTCString(), 0],
      ['soon', 0],
      ['-5', 0],
      ['', 0],
    ];
    for (const [header, seconds] of cases) assert.equal(readRetryAfter(header, NOW), seconds, header ?? 'none');
  });
});

describe('webhooks: when an endpoint is paused', () => {
  const cases: [name: string, status: number | undefined, failingSince: number, expected: string | undefined][] = [
    ['410, at once', 410, NOW, 'gone'],
    ['a status, for less than a day', 500, NOW - DAY + 1, undefined],
    ['a status, for a day', 500, NOW - DAY, 'failing'],
    ['no answer, for a day', undefined, NOW - DAY, 'failing'],
    ['no answer, now', undefined, NOW, undefined],
  ];
  for (const [name, status, failingSince, expected] of cases)
    it(name, () => assert.equal(pauseAfter(status, failingSince, NOW), expected));
});

describe('webhooks: the signature (Standard Webhooks, "Signature scheme")', () => {
  it('is the one of the reference library for a known message', () => {
    const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    const body = '{"test": 2432232314}';
    assert.equal(
      webhookSignature([secret], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, body),
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });
});
