import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endsBetween } from '../build/in-time.ts';

describe('endsBetween of the tests', () => {
  /** Ends when an interval finds that so much time has passed, while the process stands still for `pausedMs`. */
  const work = (ms: number, pausedMs: number) => () =>
    new Promise<void>(resolve => {
      const startedAt = performance.now();
      const passed = () => performance.now() - startedAt;
      const interval = setInterval(() => {
        if (passed() < ms) return;
        clearInterval(interval);
        resolve();
      }, 5);
      setImmediate(() => {
        while (passed() < pausedMs);
      });
    });

  it('accepts what ended in time although the process stood still, and an interval was served before its own timer', () =>
    endsBetween(50, 1000, work(80, 150)));

  it('refuses what ended too early, or not at all', async () => {
    await assert.rejects(endsBetween(200, 1000, work(20, 0)), /done before 200 ms/);
    await assert.rejects(
      endsBetween(0, 30, () => new Promise(() => {})),
      /not done after 30 ms/,
    );
  });
});
