import assert from 'node:assert/strict';
import { after, before } from 'node:test';

/** How each part closes that is open, the last one at the end. */
const closing: (() => unknown)[] = [];
/** When all parts are open that were declared so far. */
let opened: Promise<unknown> = Promise.resolve();

/**
 * What the tests of a suite or a file share: it opens before them, after the parts that are declared above it, and closes after them,
 * before the parts above it. It waits for those itself: node:test does not wait for one hook of a file before the next.
 */
export function suitePart<T extends object>(open: () => T | Promise<T>, close: (part: T) => unknown = closeItself): T {
  let part: T | undefined;
  const closePart = () => part && close(part);
  const openPart = async () => {
    part = await open();
    closing.push(closePart);
  };
  before(() => {
    opened = opened.catch(() => {}).then(openPart);
    return opened;
  });
  after(async () => {
    while (closing.includes(closePart)) await closing.pop()?.();
  });
  const own = (): object => part ?? assert.fail('it opens with the first test of the suite');
  return new Proxy<T>({} as T, {
    get(_, name) {
      const value: unknown = Reflect.get(own(), name, own());
      return typeof value === 'function' ? value.bind(own()) : value;
    },
    set: (_, name, value) => Reflect.set(own(), name, value),
    has: (_, name) => Reflect.has(own(), name),
    ownKeys: () => Reflect.ownKeys(own()),
    getOwnPropertyDescriptor: (_, name) => {
      const described = Reflect.getOwnPropertyDescriptor(own(), name);
      return described && { ...described, configurable: true };
    },
  });
}

/** A server of node:http closes when the last connection to it does. */
function closeItself(part: { closeAllConnections?(): unknown; close?(): unknown }): unknown {
  part.closeAllConnections?.();
  return part.close?.();
}
