import { isoTime } from '../../operators/api/times.ts';
import { parseArguments } from '../../operators/cli/arguments.ts';
import type { Command, CommandContext, Output } from '../../operators/cli/command.ts';
import { EXIT } from '../../operators/cli/exit.ts';
import { type Perform, refuseRemotely, userOf, withOperations } from '../../operators/cli/with-operations.ts';
import { withServices } from '../../operators/cli/with-services.ts';
import type { Services } from '../../services.ts';
import { sealEvents } from './maintain.ts';
import type { EventView } from './operations.ts';
import { type ChainEnd, type Finding, type Verification, verifyEvents } from './verify.ts';

export const events: Command = {
  worksRemotely: true,
  help: `Usage: gatehouse events list [--type TYPE] [--application CODE] [--client ID] [--user NAME] [--operator SUB]
                             [--request-id ID] [--from TIME] [--to TIME] [--limit N] [--cursor NEXT] [--json]
       gatehouse events verify [--expect NUMBER:HASH] [--json]
       gatehouse events resume --lost-secret

list prints events, newest first. NAME is a user name, e-mail address, telephone number or sub; TIME is such as
2027-01-31T12:00:00Z; TYPE may be several, separated by commas. docs/events.md describes the types.

verify reads the whole log and finds events that were changed, removed or inserted. It prints the end of the chain: kept elsewhere
and given to --expect the next time, it also shows whether the database was restored to an older state. Exits 65 if there is a
finding, with its place.

resume seals events again after the secret was lost: the chain continues with the current one. Run it only if you know that the
secret was lost. The events that the lost secret sealed stay, and verify reports from where on it cannot verify them.

Example: gatehouse events list --type user.login.failed --user alice --from 2027-01-31T00:00:00Z`,

  async run(args, context) {
    const options = readOptions(args);
    if (!options) {
      context.stderr.write(`${events.help}\n`);
      return EXIT.usage;
    }
    if (options.verb === 'list') {
      return withOperations(context, perform => list(perform, options.query, options.json, context));
    }
    refuseRemotely(context, `events ${options.verb}`);
    return withServices(context, services => {
      return options.verb === 'verify' ? verify(services, options, context) : resume(services, context);
    });
  },
};

type Options =
  | { readonly verb: 'list'; readonly query: Readonly<Record<string, string>>; readonly json: boolean }
  | { readonly verb: 'verify'; readonly expected: ChainEnd | undefined; readonly json: boolean }
  | { readonly verb: 'resume' };

const FILTERS = ['type', 'application', 'client', 'user', 'operator', 'request-id', 'from', 'to', 'limit', 'cursor'];

interface OptionValues {
  readonly json?: boolean;
  readonly expect?: string;
  readonly 'lost-secret'?: boolean;
}

function readOptions(args: readonly string[]): Options | undefined {
  try {
    const text = { type: 'string' } as const;
    const options = {
      json: { type: 'boolean' },
      'lost-secret': { type: 'boolean' },
      expect: text,
      ...Object.fromEntries(FILTERS.map(name => [name, text])),
    } as const;
    const { values, positionals } = parseArguments({ args: [...args], allowPositionals: true, options });
    const [verb, ...rest] = positionals;
    const { json = false, expect, 'lost-secret': lost, ...query } = values as OptionValues;
    if (rest.length > 0) return undefined;
    if (lost) return verb === 'resume' && Object.keys(values).length === 1 ? { verb } : undefined;
    if (verb === 'list') return expect === undefined ? { verb, query: fieldsOf(query), json } : undefined;
    if (verb !== 'verify' || Object.keys(query).length > 0) return undefined;
    const expected = expect === undefined ? undefined : readEnd(expect);
    return expect !== undefined && !expected ? undefined : { verb, expected, json };
  } catch {
    return undefined;
  }
}

/** `--request-id` is the field request_id. */
function fieldsOf(options: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name.replaceAll('-', '_'), value]));
}

function readEnd(text: string): ChainEnd | undefined {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]+)$/.exec(text) ?? [];
  return seq === undefined || hash === undefined ? undefined : { seq: Number(seq), hash };
}

const MAX_EVENTS_PER_BATCH = 200;

/** One batch makes a head under the present secret; a server seals the rest. */
async function resume(services: Services, { stdout, stderr }: CommandContext): Promise<number> {
  const outcome = await sealEvents(services, MAX_EVENTS_PER_BATCH, { lostSecret: true });
  if (outcome.kind === 'broken') stderr.write(`${outcome.reason}\n`);
  else stdout.write('The chain goes on.\n');
  return outcome.kind === 'broken' ? EXIT.data : EXIT.ok;
}

/** That of the API. */
const PAGE_SIZE = '50';

async function list(
  perform: Perform,
  query: Readonly<Record<string, string>>,
  json: boolean,
  { stdout, stderr }: CommandContext,
): Promise<number> {
  const { user } = query;
  const found = user === undefined ? undefined : await userOf(perform, user);
  const asked = found ? { ...query, user: found.sub } : query;
  // One page: --limit and --cursor go on.
  const outcome = await perform('listEvents', { query: { limit: PAGE_SIZE, ...asked } });
  if (outcome.kind === 'invalid') {
    for (const { pointer, detail } of outcome.errors) stderr.write(`--${pointer.split('/')[1]}: ${detail}\n`);
    return EXIT.data;
  }
  if (outcome.kind !== 'done') throw new Error(`events cannot be listed: ${outcome.kind}`);
  const { items, next } = outcome.value as { readonly items: readonly EventView[]; readonly next: string | null };
  if (json) stdout.write(`${JSON.stringify(outcome.value, null, 2)}\n`);
  else {
    for (const item of items) stdout.write(`${lineOf(item)}\n`);
    if (items.length === 0) stdout.write('No events.\n');
    if (next !== null) stdout.write(`More: --cursor ${next}\n`);
  }
  return EXIT.ok;
}

const TYPE_WIDTH = 28;

function lineOf({ time, type, outcome, actor, subject, application, client, address, details }: EventView): string {
  const names = {
    actor: actor.id === undefined ? actor.kind : `${actor.kind}:${actor.id}`,
    subject,
    application,
    client,
  };
  const pairs = Object.entries({ ...names, address }).filter(([, value]) => value !== undefined);
  const more = Object.entries(details ?? {}).map(([name, value]) => [name, JSON.stringify(value)]);
  const told = [...pairs, ...more].map(([name, value]) => `${name}=${value}`).join(' ');
  // Without characters that a terminal would interpret: a caller chooses some of the values.
  return `${time} ${type.padEnd(TYPE_WIDTH)} ${outcome.padEnd(7)} ${told}`.replaceAll(/\p{Cc}/gu, ' ');
}

interface VerifyCommand {
  readonly expected: ChainEnd | undefined;
  readonly json: boolean;
}

async function verify(
  services: Services,
  { expected, json }: VerifyCommand,
  { stdout, stderr }: CommandContext,
): Promise<number> {
  const onProgress = progressOn(stderr);
  const found = await verifyEvents(services, { expected, onProgress: onProgress.show });
  onProgress.done();
  stdout.write(json ? `${JSON.stringify(toJson(found), null, 2)}\n` : describe(found));
  return found.findings.length === 0 ? EXIT.ok : EXIT.data;
}

function toJson({ events, from, to, end, findings }: Verification): object {
  const iso = (time: number | undefined) => (time === undefined ? null : isoTime(time));
  return { ok: findings.length === 0, events, from: iso(from), to: iso(to), end: end ?? null, findings };
}

function describe({ events, from, to, end, findings }: Verification): string {
  const span = from === undefined || to === undefined ? '' : `, ${isoTime(from)} to ${isoTime(to)}`;
  const lines = [
    ...findings.map(describeFinding),
    `${events} sealed ${events === 1 ? 'event' : 'events'}${span}: ${findings.length === 0 ? 'the chain is complete' : 'the chain is BROKEN'}`,
  ];
  if (end) lines.push(`end of the chain: ${end.seq}:${end.hash}`);
  return `${lines.join('\n')}\n`;
}

function describeFinding({ kind, seq, id, detail }: Finding): string {
  const place = [seq === undefined ? '' : `event number ${seq}`, id ?? ''].filter(part => part !== '').join(', ');
  return `${kind}: ${place === '' ? '' : `${place}: `}${detail}`;
}

const SILENT_MS = 1000;

/** On a terminal, once it takes more than a second. */
function progressOn(out: Output): { show(count: number, total: number): void; done(): void } {
  const startedAt = performance.now();
  let isShown = false;
  return {
    show(count, total) {
      if (!out.isTTY || performance.now() - startedAt < SILENT_MS) return;
      isShown = true;
      out.write(`\r${count} of ${total} events (${Math.floor((count / Math.max(1, total)) * 100)} %)`);
    },
    done() {
      if (isShown) out.write('\n');
    },
  };
}
