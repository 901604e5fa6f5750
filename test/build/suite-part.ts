import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach } from 'node:test';
import { standIn } from './stand-in.ts';

type Open<T> = () => T | Promise<T>;
type Close<T> = (part: T) => unknown;
type Hook = (act: () => Promise<unknown>) => void;
/** No function: what stands for it is an object. */
type Part = object & { readonly apply?: never };

/** How each part closes that is open, the last one at the end. */
const closing: (() => unknown)[] = [];
/** When all parts are open that were declared so far. */
let opened: Promise<unknown> = Promise.resolve();

/**
 * What the tests of a suite or a file share: it opens before them, after the parts that are declared above it, and closes after them,
 * before the parts above it. It waits for those itself: node:test does not wait for one hook of a file before the next.
 */
export function suitePart<T extends Part>(open: Open<T>, close: Close<T> = closeItself): T {
  return partOf(before, after, open, close);
}

/** What each test of a suite or a file has anew: it opens before the test and closes after it, in the same order. */
export function testPart<T extends Part>(open: Open<T>, close: Close<T> = closeItself): T {
  return partOf(beforeEach, afterEach, open, close);
}

/** What is done before the tests of the suite, with the parts that are declared above. */
export function firstInSuite(act: () => Promise<unknown>): void {
  before(() => inTurn(act));
}

function partOf<T extends object>(opens: Hook, closes: Hook, open: Open<T>, close: Close<T>): T {
  let part: T | undefined;
  const closePart = () => part && close(part);
  opens(() =>
    inTurn(async () => {
      part = await open();
      closing.push(closePart);
    }),
  );
  closes(async () => {
    while (closing.includes(closePart)) await closing.pop()?.();
  });
  return standIn(() => part ?? assert.fail('it opens with the first test of the suite'));
}

function inTurn(act: () => Promise<unknown>): Promise<unknown> {
  opened = opened.catch(() => {}).then(act);
  return opened;
}

/** What parts call their own end. */
const ENDS = ['close', 'remove', 'down', 'drop'] as const;

function closeItself(part: object): unknown {
  const ends: { readonly [End in (typeof ENDS)[number] | 'closeAllConnections']?: () => unknown } = part;
  // A server of node:http closes when the last connection to it does.
  ends.closeAllConnections?.();
  const end = ENDS.find(name => name in part);
  return end && ends[end]?.();
}
