import assert from 'node:assert/strict';
import type { before } from 'node:test';

/** Stands for an object that is there when tests run, so that helpers of a suite can name it where they are written. */
export function standIn<Value extends object>(current: () => Value): Value {
  return new Proxy({} as Value, {
    get: (_, name) => {
      const value = Reflect.get(current(), name);
      return typeof value === 'function' ? value.bind(current()) : value;
    },
    set: (_, name, value) => Reflect.set(current(), name, value),
    has: (_, name) => Reflect.has(current(), name),
    ownKeys: () => Reflect.ownKeys(current()),
    // Of the target, which is empty, a property has to be configurable.
    getOwnPropertyDescriptor: (_, name) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(current(), name);
      return descriptor && { ...descriptor, configurable: true };
    },
  });
}

/** Stands for what this hook (`before`, `beforeEach`) makes in the suite that it is called in. */
export function madeBy<Value extends object>(hook: typeof before, make: () => Promise<Value> | Value): Value {
  let current: Value | undefined;
  hook(async () => {
    current = await make();
  });
  return standIn(() => current ?? assert.fail('it is made before the tests of the suite'));
}
