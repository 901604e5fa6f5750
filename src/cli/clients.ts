import { parseArgs } from 'node:util';
import type { Services } from '../services.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit.ts';
import { withServices } from './with-services.ts';

export const clients: Command = {
  summary: 'list and delete the clients of an application',
  help: `Usage: gatehouse clients list --app CODE
       gatehouse clients delete --app CODE --client CLIENT_ID

delete removes the client and revokes its codes and tokens at once, on every node. Remove it from the files of "gatehouse apply"
too: they would create it again. To register or change a client, use "gatehouse apply".`,

  async run(args, env) {
    const options = readOptions(args);
    if (!options) {
      process.stderr.write(`${clients.help}\n`);
      return EXIT.usage;
    }
    const work = async (services: Services) => {
      if (!(await services.store.findApplication(options.app))) {
        process.stderr.write(`there is no application "${options.app}"\n`);
        return EXIT.data;
      }
      return options.client === undefined ? list(services, options.app) : remove(services, options.app, options.client);
    };
    return withServices(env, work, { skipSecretCheck: true });
  },
};

interface Options {
  readonly app: string;
  /** The client to delete; undefined: list all. */
  readonly client: string | undefined;
}

function readOptions(args: readonly string[]): Options | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { app: { type: 'string' }, client: { type: 'string' } },
    });
    const [verb] = positionals;
    const { app, client } = values;
    if (positionals.length > 1 || app === undefined) return undefined;
    if (verb !== (client === undefined ? 'list' : 'delete')) return undefined;
    return { app, client };
  } catch {
    return undefined;
  }
}

async function list({ store }: Services, app: string): Promise<number> {
  const registered = await store.clientsOf(app);
  for (const { client_id, client_name, token_endpoint_auth_method } of registered) {
    process.stdout.write(`${client_id} ${token_endpoint_auth_method} ${client_name}\n`);
  }
  if (registered.length === 0) process.stdout.write('No clients.\n');
  return EXIT.ok;
}

async function remove({ store, clock }: Services, app: string, client: string): Promise<number> {
  if (await store.deleteClient(app, client, clock.now())) {
    process.stdout.write(`client ${app}/${client} deleted\n`);
    return EXIT.ok;
  }
  process.stderr.write(`there is no client "${client}" in the application "${app}"\n`);
  return EXIT.data;
}
