import { keyEvent } from '../events/key-events.ts';
import { keyState, publishNextKey, replaceCompromisedKeys } from '../keys/rotation.ts';
import { type SigningAlg, signingAlgs } from '../protocol/client.ts';
import { currentKeys } from '../protocol/key-schedule.ts';
import type { Services } from '../services.ts';
import { parseArguments } from './arguments.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit.ts';
import { withServices } from './with-services.ts';

export const keys: Command = {
  summary: 'list and rotate the signing keys of an application',
  help: `Usage: gatehouse keys list --app CODE
       gatehouse keys rotate --app CODE [--alg ALG]
       gatehouse keys rotate --app CODE [--alg ALG] --compromised

An application has keys for the algorithms that its clients use, and for its default. "gatehouse apply" makes them.

list prints the state of each key: signing, next (signs later), retired (signs no new tokens), or unused (no client uses the
algorithm any more; a running server retires the key within an hour).

rotate publishes the next key at once; it begins to sign a day later, when every client has read it. The current key stays
published until the last token it signed has expired. The server does the same by itself every 90 days.

  --alg ALG       ${signingAlgs.join(', ')} (default: all that the application uses)
  --compromised   replace the current keys at once; every token they signed becomes invalid

Example: gatehouse keys rotate --app shop --alg RS256`,

  async run(args, env) {
    const options = readOptions(args);
    if (!options) {
      process.stderr.write(`${keys.help}\n`);
      return EXIT.usage;
    }
    const work = async (services: Services) => {
      if (!(await services.store.findApplication(options.app))) {
        process.stderr.write(`there is no application "${options.app}"\n`);
        return EXIT.data;
      }
      if (options.verb === 'rotate') {
        const refusal = await rotate(services, options);
        if (refusal !== undefined) {
          process.stderr.write(`${refusal}\n`);
          return EXIT.data;
        }
      }
      await list(services, options.app);
      return EXIT.ok;
    };
    // `--compromised` also replaces keys that the secret cannot open, so it must run without the check of the secret.
    return withServices(env, work, { skipSecretCheck: options.compromised });
  },
};

interface Options {
  readonly verb: 'list' | 'rotate';
  readonly app: string;
  readonly alg: SigningAlg | undefined;
  readonly compromised: boolean;
}

function readOptions(args: readonly string[]): Options | undefined {
  try {
    const { values, positionals } = parseArguments({
      args: [...args],
      allowPositionals: true,
      options: { app: { type: 'string' }, alg: { type: 'string' }, compromised: { type: 'boolean' } },
    });
    const [verb] = positionals;
    const { app, alg, compromised = false } = values;
    if ((verb !== 'list' && verb !== 'rotate') || positionals.length > 1 || app === undefined) return undefined;
    if (alg !== undefined && !(signingAlgs as readonly string[]).includes(alg)) return undefined;
    return { verb, app, alg: alg as SigningAlg | undefined, compromised };
  } catch {
    return undefined;
  }
}

/** Returns the reason if nothing can be rotated. */
async function rotate(services: Services, { app, alg, compromised }: Options): Promise<string | undefined> {
  if (compromised) {
    await replaceCompromisedKeys(services, app, alg === undefined ? signingAlgs : [alg], key =>
      keyEvent(services, 'key.deleted', key),
    );
    return undefined;
  }
  const inUse = await services.store.signingAlgs(app);
  if (alg !== undefined && !inUse.includes(alg)) {
    return `no client of "${app}" uses ${alg}, and it is not the default of the application: there is nothing to rotate`;
  }
  for (const one of alg === undefined ? inUse : [alg]) {
    await publishNextKey(services, app, one, undefined, key => ({ event: keyEvent(services, 'key.rotated', key) }));
  }
  return undefined;
}

async function list({ store, clock }: Services, app: string): Promise<void> {
  const all = await store.signingKeys(app);
  const inUse = await store.signingAlgs(app);
  for (const key of all) {
    const from = new Date(key.signFrom * 1000).toISOString();
    const state = keyState(all, key, clock.now(), inUse);
    process.stdout.write(`${key.alg.padEnd(6)} ${state.padEnd(8)} ${key.kid} signs from ${from}\n`);
  }
  for (const alg of inUse.filter(one => currentKeys(all, one).length === 0)) {
    process.stdout.write(`${alg.padEnd(6)} missing: a running server makes it soon, or at its start\n`);
  }
}
