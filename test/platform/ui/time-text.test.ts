import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dateText, timeText } from '../../../src/platform/ui/time-text.ts';

const TIME = new Date('2026-11-06T16:41:07Z');

describe('times on pages', () => {
  it('are written as in the language of the page, with 24 hours and their zone, so that no reader takes them for another time', () => {
    assert.equal(timeText('en', TIME), '6 Nov 2026, 16:41 UTC');
    assert.equal(timeText('en', TIME, 'second'), '6 Nov 2026, 16:41:07 UTC');
    assert.equal(timeText('zh', TIME), '2026年11月6日 16:41 UTC');
    assert.deepEqual([timeText('de', TIME), dateText('de', TIME)], ['06.11.2026, 16:41 UTC', '06.11.2026']);
    assert.deepEqual([dateText('en', TIME), dateText('zh', TIME)], ['6 Nov 2026', '2026年11月6日']);
  });
});
