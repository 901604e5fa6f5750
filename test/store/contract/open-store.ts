import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach } from 'node:test';
import { standIn } from '../../build/stand-in.ts';
import type { Opened, OpenStore } from './given.ts';

/** One store for all tests of the suite that this is called in. */
export function openForSuite(open: OpenStore): Opened {
  const { opened, begin } = opens(open);
  before(begin);
  after(() => opened.discard());
  return opened;
}

/** A store for each test of the suite that this is called in. */
export function openForEach(open: OpenStore): Opened {
  const opened = openLater(open);
  opened.openEach();
  return opened;
}

/** A store for each test of the suites that call `openEach`. */
export function openLater(open: OpenStore): Opened & { openEach(): void } {
  const { opened, begin } = opens(open);
  const openEach = () => {
    beforeEach(begin);
    afterEach(() => opened.discard());
  };
  return Object.assign(opened, { openEach });
}

function opens(open: OpenStore): { readonly opened: Opened; begin(): Promise<void> } {
  let current: Opened | undefined;
  const own = () => current ?? assert.fail('the store is opened before the test');
  return {
    opened: {
      store: standIn(() => own().store),
      get url() {
        return own().url;
      },
      another: () => own().another(),
      discard: () => own().discard(),
    },
    begin: async () => {
      current = await open();
    },
  };
}
