import type { Input } from '../../operators/api/perform.ts';
import { parseArguments } from '../../operators/cli/arguments.ts';
import type { Command, CommandContext } from '../../operators/cli/command.ts';
import { EXIT } from '../../operators/cli/exit.ts';
import { type Perform, userOf, withOperations } from '../../operators/cli/with-operations.ts';

export const sessions: Command = {
  worksRemotely: true,
  help: `Usage: gatehouse sessions list --user NAME [--json]
       gatehouse sessions end --user NAME [--sid SID] [--json]

NAME is a user name, e-mail address or telephone number. end --sid ends one session with its codes, refresh and access tokens.
end without --sid ends all sessions of the user, and every code and token, also those without a session, such as the tokens of
the password grant. Clients with a backchannel_logout_uri receive a logout token for each session that ended.
--json prints one JSON document: the sessions, or those that ended.

Example: gatehouse sessions end --user alice`,

  async run(args, context) {
    const options = readOptions(args);
    if (!options) {
      context.stderr.write(`${sessions.help}\n`);
      return EXIT.usage;
    }
    return withOperations(context, perform => run(perform, options, context));
  },
};

interface Session {
  readonly id: string;
  readonly created_at: string;
}

/** Over the operations of /users/{sub}/sessions, which are keyed by `sub`. Without a sid, end is /users/{sub}/sign_out. */
async function run(
  onServer: Perform,
  { verb, user, sid, json }: Options,
  { stdout, stderr }: CommandContext,
): Promise<number> {
  const account = await userOf(onServer, user);
  if (!account) {
    stderr.write(`there is no user "${user}"\n`);
    return EXIT.data;
  }
  const perform = (operation: string, params: Input['params']) =>
    onServer(operation, { params: { ...params, sub: account.sub } });
  const listed = await perform('listUserSessions', {});
  const all = listed.kind === 'done' ? (listed.value as { items: readonly Session[] }).items : [];
  const items = all.filter(({ id }) => sid === undefined || id === sid);
  if (verb === 'end') {
    if (sid === undefined) await perform('signOutUser', {});
    else if (items.length > 0) await perform('endUserSession', { id: sid });
  }
  stdout.write(json ? `${JSON.stringify({ items, next: null }, null, 2)}\n` : textOf(items, verb));
  if (verb === 'end' && sid === undefined && !json) {
    stdout.write(`All tokens and codes of ${account.username} have ended, with and without a session.\n`);
  }
  return EXIT.ok;
}

function textOf(sessions: readonly Session[], verb: Options['verb']): string {
  if (sessions.length === 0) return 'No sessions.\n';
  const suffix = verb === 'end' ? ' ended' : '';
  return sessions
    .map(({ id, created_at }) => `${id} signed in ${new Date(created_at).toISOString()}${suffix}\n`)
    .join('');
}

interface Options {
  readonly verb: 'list' | 'end';
  readonly user: string;
  readonly sid: string | undefined;
  readonly json: boolean;
}

function readOptions(args: readonly string[]): Options | undefined {
  try {
    const { values, positionals } = parseArguments({
      args: [...args],
      allowPositionals: true,
      options: { user: { type: 'string' }, sid: { type: 'string' }, json: { type: 'boolean', default: false } },
    });
    const [verb] = positionals;
    if ((verb !== 'list' && verb !== 'end') || positionals.length > 1 || values.user === undefined) return undefined;
    return { verb, user: values.user, sid: values.sid, json: values.json };
  } catch {
    return undefined;
  }
}
