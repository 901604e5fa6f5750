import { parseArguments } from '../../operators/cli/arguments.ts';
import type { Command, CommandContext, CommandTools } from '../../operators/cli/command.ts';
import { EXIT } from '../../operators/cli/exit.ts';
import { performAt } from '../../operators/cli/with-operations.ts';
import { withServices } from '../../operators/cli/with-services.ts';
import type { Services } from '../../services.ts';
import { type Explained, explainRequest } from './explained.ts';
import { explanationText } from './text.ts';

export const explain: Command = {
  worksRemotely: true,
  help: `Usage: gatehouse explain REQUEST_ID [--json]

Every refused request has a request id: in the X-Request-Id header, on the error page, and in the log. For seven days this
command shows the rule, what was expected and received, the difference, how to fix it, and how far the request got. Secrets
are never stored, so none is shown.

  --json   one JSON document, as GET /api/v1/admin/refusals/REQUEST_ID

Example: gatehouse explain 5f3c9a1e77b2-42`,

  async run(args, context) {
    const options = readOptions(args);
    if (!options) {
      context.stderr.write(`${explain.help}\n`);
      return EXIT.usage;
    }
    const { requestId } = options;
    if (context.remote) return tell(await explainedAt(context.remote, requestId), options, context);
    const work = async (services: Services) =>
      tell(await explainRequest(services, requestId, () => true), options, context);
    return withServices(context, work, { skipSecretCheck: true });
  },
};

interface Options {
  readonly requestId: string;
  readonly json: boolean;
}

function readOptions(args: readonly string[]): Options | undefined {
  try {
    const { values, positionals } = parseArguments({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' } },
    });
    const [requestId, ...more] = positionals;
    return requestId === undefined || more.length > 0 ? undefined : { requestId, json: values.json ?? false };
  } catch {
    return undefined;
  }
}

async function explainedAt(
  remote: NonNullable<CommandTools['remote']>,
  request_id: string,
): Promise<Explained | undefined> {
  const outcome = await performAt(remote)('getRefusal', { params: { request_id } });
  return outcome.kind === 'done' ? (outcome.value as Explained) : undefined;
}

function tell(
  explained: Explained | undefined,
  { requestId, json }: Options,
  { stdout, stderr, remote }: Pick<CommandTools, keyof CommandContext | 'remote'>,
): number {
  if (!explained) {
    stderr.write(`${unknownText(requestId, remote?.url)}\n`);
    return EXIT.data;
  }
  if (json) stdout.write(`${JSON.stringify(explained, undefined, 2)}\n`);
  else stdout.write(explanationText(explained));
  return EXIT.ok;
}

function unknownText(requestId: string, server: string | undefined): string {
  const other =
    server === undefined
      ? 'another database than DATABASE_URL names'
      : `another server than ${server}, or to an application that the API key may not see`;
  return `nothing is known of a refused request "${requestId}": it was not refused, is older than seven days, was one of too many in its minute, happened less than a second ago, or belongs to ${other}`;
}
