/**
 * Loaded before node:test. It follows every promise of the process with an async hook, to know of which test an error is that nobody
 * waits for: a twelfth of the processor time of a run. Here it follows no promises, and run-file.ts tells of such an error itself.
 */
import asyncHooks, { type HookCallbacks } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

const { createHook } = asyncHooks;
asyncHooks.createHook = callbacks => createHook({ ...callbacks, trackPromises: false } as HookCallbacks);
// It takes createHook from there when it is loaded.
await import('node:test');
asyncHooks.createHook = createHook;
syncBuiltinESMExports();
