import { registerHooks } from 'node:module';

/** For `--import`: every package that the process loads is a line of its standard output. */
registerHooks({
  load(url, context, nextLoad) {
    const name = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url)?.[1];
    if (name !== undefined) process.stdout.write(`loads ${name}\n`);
    return nextLoad(url, context);
  },
});
