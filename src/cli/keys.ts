import { parseArgs } from 'node:util';
import { keyState, publishNextKey, replaceCompromisedKeys } from '../keys/rotation.ts';
import { type SigningAlg, signingAlgs } from '../protocol/client.ts';
import type { Services } from '../services.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit.ts';
import { withServices } from './with-services.ts';

export const keys: Command = {
  summary: 'list and rotate the signing keys of an application',
  help: `Usage: gatehouse keys list --app CODE
       gatehouse keys rotate --app CODE [--alg ALG]
       gatehouse keys rotate --app CODE [--alg ALG] --compromised

rotate publishes the next key at once; it begins to sign a day later, when every client has seen it. The present key stays
published until the last token it signed has expired. The server does the same by itself every 90 days.

  --alg ALG       ${signingAlgs.join(', ')} (default: all that the application has)
  --compromised   the present keys go at once, and every token they signed with them`,

  async run(args, env) {
    const options = readOptions(args);
    if (!options) {
      process.stderr.write(`${keys.help}\n`);
      return EXIT.usage;
    }
    return withServices(env, async services => {
      if (!(await services.store.findApplication(options.app))) {
        process.stderr.write(`there is no application "${options.app}"\n`);
        return EXIT.data;
      }
      if (options.verb === 'rotate') await rotate(services, options);
      await list(services, options.app);
      return EXIT.ok;
    });
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
    const { values, positionals } = parseArgs({
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

async function rotate(services: Services, { app, alg, compromised }: Options): Promise<void> {
  const present = new Set((await services.store.signingKeys(app)).map(key => key.alg));
  const chosen = alg === undefined ? [...present] : [alg];
  if (compromised) await replaceCompromisedKeys(services, app, chosen);
  else for (const one of chosen) await publishNextKey(services, app, one);
}

async function list({ store, clock }: Services, app: string): Promise<void> {
  const all = await store.signingKeys(app);
  for (const key of all) {
    const from = new Date(key.signFrom * 1000).toISOString();
    process.stdout.write(
      `${key.alg.padEnd(6)} ${keyState(all, key, clock.now()).padEnd(8)} ${key.kid} signs from ${from}\n`,
    );
  }
  if (all.length === 0) process.stdout.write('No keys yet: they are made when first needed.\n');
}
