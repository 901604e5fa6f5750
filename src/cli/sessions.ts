import { newEvent } from '../events/new-event.ts';
import { SYSTEM } from '../events/request-event.ts';
import { loginName } from '../protocol/login-name.ts';
import type { Services } from '../services.ts';
import { parseArguments } from './arguments.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit.ts';
import { withServices } from './with-services.ts';

export const sessions: Command = {
  summary: 'list and end the browser sessions of a user',
  help: `Usage: gatehouse sessions list --user NAME
       gatehouse sessions end --user NAME [--sid SID]

NAME is a user name, e-mail address or telephone number. end --sid ends one session with its codes, refresh and access tokens.
end without --sid ends all sessions of the user, and every code and token, also those without a session, such as the tokens of
the password grant. Clients with a backchannel_logout_uri receive a logout token for each session that ended.

Example: gatehouse sessions end --user alice`,

  async run(args, env) {
    const options = readOptions(args);
    if (!options) {
      process.stderr.write(`${sessions.help}\n`);
      return EXIT.usage;
    }
    return withServices(env, async services => {
      const { store, clock } = services;
      const account = await store.findAccount(loginName(options.user) ?? '');
      if (!account) {
        process.stderr.write(`there is no user "${options.user}"\n`);
        return EXIT.data;
      }
      const all = await store.sessionsOf(account.sub, clock.now());
      const selected = all.filter(({ sid }) => options.sid === undefined || sid === options.sid);
      const ends = options.verb === 'end';
      if (ends) await end(services, account.sub, options.sid);
      for (const { sid, authTime } of selected) {
        const since = new Date(authTime * 1000).toISOString();
        process.stdout.write(`${sid} signed in ${since}${ends ? ' ended' : ''}\n`);
      }
      if (selected.length === 0) process.stdout.write('No sessions.\n');
      if (ends && options.sid === undefined) {
        process.stdout.write(`All tokens and codes of ${account.username} have ended, with and without a session.\n`);
      }
      return EXIT.ok;
    });
  },
};

/** Without a sid: all sessions of the user, and what has no session. */
async function end(services: Services, subject: string, sid: string | undefined): Promise<void> {
  const { store, clock } = services;
  const act = { outcome: 'success', actor: SYSTEM, subject } as const;
  if (sid === undefined) {
    const signedOut = (sessions: number) =>
      newEvent(services, { type: 'user.signed_out', ...act, details: { sessions } });
    return store.endUserAccess(subject, clock.now(), signedOut);
  }
  const ended = () => newEvent(services, { type: 'session.ended', ...act, details: { sid, reason: 'operator' } });
  return store.endSession({ sub: subject, sid }, clock.now(), ended);
}

interface Options {
  readonly verb: 'list' | 'end';
  readonly user: string;
  readonly sid: string | undefined;
}

function readOptions(args: readonly string[]): Options | undefined {
  try {
    const { values, positionals } = parseArguments({
      args: [...args],
      allowPositionals: true,
      options: { user: { type: 'string' }, sid: { type: 'string' } },
    });
    const [verb] = positionals;
    if ((verb !== 'list' && verb !== 'end') || positionals.length > 1 || values.user === undefined) return undefined;
    return { verb, user: values.user, sid: values.sid };
  } catch {
    return undefined;
  }
}
