/** `npm ci` ends with this: loads the sources once, so that the first start finds them compiled. */
import '../src/compile-cache.ts';

await import('../src/cli/commands.ts');
await import('../src/cli/workers.ts');
