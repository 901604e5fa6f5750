import type { Overrides, Services } from '../../services.ts';
import type { Input } from '../api/perform.ts';
import type { CommandTools } from './command.ts';
import { EXIT } from './exit.ts';
import { everyPage, type Performed, performOnCommandLine } from './perform.ts';
import { RemoteFault } from './remote.ts';
import { withServices } from './with-services.ts';

/** Runs an operation by its id, on the store of the settings or at the admin API of a running server. */
export type Perform = (id: string, input: Partial<Input>) => Promise<Performed>;

/** For commands that are nothing but operations. */
export async function withOperations(
  context: CommandTools,
  work: (perform: Perform) => Promise<number>,
  more?: Overrides,
): Promise<number> {
  const { remote } = context;
  if (remote) return work(performAt(remote));
  return withServices(context, services => work(performOn(services, context)), more);
}

export function performAt(remote: NonNullable<CommandTools['remote']>): Perform {
  return (id, given) => {
    const input = { ...NO_INPUT, ...given };
    return everyPage(input, query => remote.perform(id, { ...input, query }));
  };
}

export function performOn(services: Services, { operations }: Pick<CommandTools, 'operations'>): Perform {
  return async (id, given) => performOnCommandLine(services, await operations.find(id), { ...NO_INPUT, ...given });
}

const NO_INPUT: Input = { params: {}, query: {}, body: undefined };

/** For a command, or a part of one, that needs the database and the secret of the server. */
export function refuseRemotely({ remote }: Pick<CommandTools, 'remote'>, what: string): void {
  if (remote) throw new RemoteFault(notRemote(what), EXIT.usage);
}

export function notRemote(what: string): string {
  return `"gatehouse ${what}" works on the database itself, not over the admin API: run it where the server runs, without GATEHOUSE_SERVER`;
}

interface NamedUser {
  readonly sub: string;
  readonly username: string;
}

/** The user who signs in with this name. Undefined: there is none. */
export async function userOf(perform: Perform, name: string): Promise<NamedUser | undefined> {
  const found = await perform('listUsers', { query: { login: name } });
  return found.kind === 'done' ? (found.value as { readonly items: readonly NamedUser[] }).items[0] : undefined;
}
