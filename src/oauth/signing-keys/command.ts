import { parseArguments } from '../../operators/cli/arguments.ts';
import type { Command, CommandTools } from '../../operators/cli/command.ts';
import { EXIT } from '../../operators/cli/exit.ts';
import { type Perform, performAt, performOn, refuseRemotely } from '../../operators/cli/with-operations.ts';
import { withServices } from '../../operators/cli/with-services.ts';
import { forgetTotpKeys, isForgetTotp } from '../../people/totp/lost-keys.command.ts';
import type { Services } from '../../services.ts';
import { type KeyAlg, keyAlgs } from './algorithms.rules.ts';
import { keyEvent } from './key-event.ts';
import { replaceCompromisedKeys } from './rotation.ts';

export const keys: Command = {
  worksRemotely: true,
  help: `Usage: gatehouse keys list --app CODE [--json]
       gatehouse keys rotate --app CODE [--alg ALG] [--json]
       gatehouse keys rotate --app CODE [--alg ALG] --compromised [--json]
       gatehouse keys forget-totp --lost-secret

An application has keys for the algorithms that its clients use, and for its default. "gatehouse apply" makes them.

list prints the state of each key: signing, next (signs later), retired (signs no new tokens), or unused (no client uses the
algorithm any more; a running server retires the key within an hour).

rotate publishes the next key at once; it begins to sign a day later, when every client has read it. The current key stays
published until the last token it signed has expired. The server does this automatically every 90 days.

forget-totp removes the second factors of users whose key of an authenticator app was encrypted with a secret that was lost. They
sign in with the password alone then, until they set up a new app.

  --alg ALG       ${keyAlgs.join(', ')} (default: all that the application uses)
  --compromised   replace the current keys at once; every token they signed becomes invalid
  --json          print one JSON document: the keys, as GET …/keys answers

Example: gatehouse keys rotate --app shop --alg RS256`,

  async run(args, context) {
    if (isForgetTotp(args)) {
      refuseRemotely(context, 'keys forget-totp');
      return withServices(context, services => forgetTotpKeys(services, context.stdout), { skipSecretCheck: true });
    }
    const options = readOptions(args);
    if (!options) {
      context.stderr.write(`${keys.help}\n`);
      return EXIT.usage;
    }
    if (options.compromised) refuseRemotely(context, 'keys rotate --compromised');
    if (context.remote) return work({ perform: performAt(context.remote), services: undefined }, options, context);
    // `--compromised` also replaces keys that the secret cannot open, so it must run without the check of the secret.
    return withServices(
      context,
      services => work({ perform: performOn(services, context), services }, options, context),
      { skipSecretCheck: options.compromised },
    );
  },
};

/** `services`: where the command works on the store itself. */
interface Worked {
  readonly perform: Perform;
  readonly services: Services | undefined;
}

async function work(worked: Worked, options: Options, { stdout, stderr }: CommandTools): Promise<number> {
  const refusal = (await rotate(worked, options)) ?? (await list(worked, options, stdout));
  if (refusal === undefined) return EXIT.ok;
  stderr.write(`${refusal}\n`);
  return EXIT.data;
}

interface Options {
  readonly verb: 'list' | 'rotate';
  readonly app: string;
  readonly alg: KeyAlg | undefined;
  readonly compromised: boolean;
  readonly json: boolean;
}

function readOptions(args: readonly string[]): Options | undefined {
  try {
    const { values, positionals } = parseArguments({
      args: [...args],
      allowPositionals: true,
      options: {
        app: { type: 'string' },
        alg: { type: 'string' },
        compromised: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    const [verb] = positionals;
    const { app, alg, compromised, json } = values;
    if ((verb !== 'list' && verb !== 'rotate') || positionals.length > 1 || app === undefined) return undefined;
    if (alg !== undefined && !(keyAlgs as readonly string[]).includes(alg)) return undefined;
    return { verb, app, alg: alg as KeyAlg | undefined, compromised, json };
  } catch {
    return undefined;
  }
}

/** Returns the reason if nothing can be rotated. */
async function rotate(
  { perform, services }: Worked,
  { verb, app, alg, compromised }: Options,
): Promise<string | undefined> {
  if (verb !== 'rotate') return undefined;
  if (!compromised || !services) {
    const rotated = await perform('rotateKeys', { params: { code: app }, body: alg === undefined ? {} : { alg } });
    return rotated.kind === 'done' ? undefined : reasonOf(rotated, app);
  }
  if (!(await services.store.findApplication(app))) return reasonOf({ kind: 'unknown' }, app);
  // All at once and without a word to verifiers: no operation of the API does that, since it deletes one key at a time.
  await replaceCompromisedKeys(services, app, alg === undefined ? keyAlgs : [alg], key =>
    keyEvent(services, 'key.deleted', key),
  );
  return undefined;
}

interface Key {
  readonly kid: string;
  readonly alg: KeyAlg;
  readonly state: string;
  readonly sign_from: string;
}

async function list(
  { perform, services }: Worked,
  { app, json }: Options,
  stdout: CommandTools['stdout'],
): Promise<string | undefined> {
  const listed = await perform('listKeys', { params: { code: app } });
  if (listed.kind !== 'done') return reasonOf(listed, app);
  const { items } = listed.value as { readonly items: readonly Key[] };
  stdout.write(
    json
      ? `${JSON.stringify(listed.value, null, 2)}\n`
      : textOf(items, services ? await services.store.keyAlgs(app) : []),
  );
  return undefined;
}

function textOf(keys: readonly Key[], inUse: readonly KeyAlg[]): string {
  const rows = keys.map(
    ({ alg, state, kid, sign_from }) =>
      `${alg.padEnd(6)} ${state.padEnd(8)} ${kid} signs from ${new Date(sign_from).toISOString()}\n`,
  );
  const missing = inUse.filter(alg => !keys.some(key => key.alg === alg && key.state !== 'retired'));
  return [
    ...rows,
    ...missing.map(alg => `${alg.padEnd(6)} missing: a running server makes it soon, or at its start\n`),
  ].join('');
}

function reasonOf(problem: { readonly kind: string; readonly detail?: string }, app: string): string {
  return problem.kind === 'unknown' ? `there is no application "${app}"` : (problem.detail ?? problem.kind);
}
