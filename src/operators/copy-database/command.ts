import { DATABASE_FORMS, type DatabaseAddress, parseDatabaseAddress } from '../../platform/config/database-address.ts';
import { secretFileOf } from '../../platform/crypto/secret-file.ts';
import { StoreUnavailable } from '../../platform/store/faults.ts';
import { parseArguments } from '../cli/arguments.ts';
import type { Command, CommandTools } from '../cli/command.ts';
import { EXIT, exitCodeOf } from '../cli/exit.ts';
import { waitsOn } from '../cli/waiting.ts';
import { copy as copyStore, differences, type Resumption, type Verified } from './copy.ts';
import { openTransfer } from './open-transfer.ts';
import { type CopySource, type LiveNode, type Transfer, TransferRefused } from './store.ts';
import { withoutDemo } from './without-demo.ts';

export const copy: Command = {
  help: `Usage: gatehouse copy --from sqlite:PATH --to postgres://user:password@host/database [--with-demo] [--continue | --start-over]

Copies applications, clients, keys, users, sessions, consents, codes and tokens into an empty database, then compares source and
target row by row. Each of them may be SQLite or PostgreSQL. DATABASE_URL is ignored. The source is only read.

The demo of an empty store (the application demo with its client, the user demo) is left out, with everything that refers to it. The
audit log stays whole. What you have made your own of it (another client, another address, an operator) is copied.

  --with-demo     copy the demo too

Stop the server first. If one serves from the source, the command says so before it begins, and copies the source as it is at that
moment. What is written later is found by the comparison: the command names the tables and exits 65. Stop the server then, and run
the command with --continue. No server can start on the target before the copy is complete.

After an interruption, run the same command again: it continues where it stopped. If the source has changed since, choose:

  --continue      copy what has changed: rows that were added, changed and removed in the source
  --start-over    remove the unfinished copy from the target, and copy everything again

Both are refused for a target that holds anything but an unfinished copy of this source.

Signing keys stay sealed. The server on the target needs the GATEHOUSE_SECRET of the source. If a SQLite source has no such
setting, its secret is in the file gatehouse.secret beside the database.

Example: gatehouse copy --from sqlite:data/gatehouse.db --to postgres://gatehouse:password@db.example/gatehouse`,

  async run(args, context) {
    const { stderr } = context;
    const ends = readOptions(args);
    if (!ends) {
      stderr.write(`${copy.help}\n`);
      return EXIT.usage;
    }
    const { from, to } = ends;
    if (!from || !to) {
      stderr.write(`${from ? '--to' : '--from'}: ${DATABASE_FORMS}\n`);
      return EXIT.usage;
    }
    try {
      return await copyBetween(from, to, ends, context);
    } catch (error) {
      if (!(error instanceof StoreUnavailable || error instanceof TransferRefused)) throw error;
      stderr.write(`${error.message}\n`);
      return error instanceof TransferRefused ? EXIT.data : exitCodeOf(error);
    }
  },
};

type Options = Readonly<Record<'from' | 'to', DatabaseAddress | undefined>> & {
  readonly resumption: Resumption;
  readonly withDemo: boolean;
};

function readOptions(args: readonly string[]): Options | undefined {
  try {
    const address = { type: 'string' } as const;
    const flag = { type: 'boolean', default: false } as const;
    const { values } = parseArguments({
      args: [...args],
      options: { from: address, to: address, continue: flag, 'start-over': flag, 'with-demo': flag },
    });
    const { from, to, continue: goesOn, 'start-over': startsOver, 'with-demo': withDemo } = values;
    if (from === undefined || to === undefined || (goesOn && startsOver)) return undefined;
    const resumption = goesOn ? 'continue' : startsOver ? 'start over' : undefined;
    return { from: parseDatabaseAddress(from), to: parseDatabaseAddress(to), resumption, withDemo };
  } catch {
    return undefined;
  }
}

async function copyBetween(
  from: DatabaseAddress,
  to: DatabaseAddress,
  { resumption, withDemo }: Options,
  { stdout, stderr, storeTables }: CommandTools,
): Promise<number> {
  const say = (line: string) => void stderr.write(`${line}\n`);
  const transfer = await openTransfer(from, to, await storeTables(), waitsOn(stderr));
  const { source, target } = transfer;
  try {
    const copied = withDemo ? transfer : await leavingDemoOut(transfer, say);
    for (const line of warnings(await source.liveNodes())) say(line);
    const outcome = await copyStore(copied, say, resumption);
    if (outcome.kind === 'refused') {
      say(outcome.reason);
      return EXIT.data;
    }
    stdout.write(summary(outcome.verified));
    if (outcome.kind === 'copied') {
      stdout.write(`Both sides are equal, row by row. ${secretNote(from)}\n`);
      return EXIT.ok;
    }
    for (const line of outcome.kind === 'differs' ? differences(outcome.verified) : []) say(line);
    for (const line of await whyUnfinished(source, outcome.kind)) say(line);
    return EXIT.data;
  } finally {
    await target.close();
    await source.close();
  }
}

async function leavingDemoOut(transfer: Transfer, say: (line: string) => void): Promise<Transfer> {
  const { source, notes } = await withoutDemo(transfer.source, transfer.tables);
  for (const note of notes) say(note);
  return { ...transfer, source };
}

function warnings(nodes: readonly LiveNode[]): string[] {
  if (nodes.length === 0) return [];
  return [
    ...nodes.map(
      ({ host, port, seenSecondsAgo }) =>
        `a server serves from the source: ${host}:${port}, seen ${seenSecondsAgo} s ago`,
    ),
    'What it writes from now on is not in the copy. Stop it first; or stop it later, and run this command again with --continue.',
  ];
}

async function whyUnfinished(source: CopySource, kind: 'differs' | 'changing'): Promise<string[]> {
  const nodes = await source.liveNodes();
  return [
    kind === 'differs'
      ? 'The copy is not what the source is: the source was written to since the copy began.'
      : 'The source is being written to, and what came since the comparison is not in the copy.',
    `${nodes.length === 0 ? 'Stop what writes to it' : 'Stop its server (one that was killed is listed for 3 minutes)'}, and run this command again with --continue, or with --start-over.`,
  ];
}

function summary(verified: readonly Verified[]): string {
  const rows = verified.map(({ table, source, target }) => {
    const counts = `${table.padEnd(18)}${String(source.rows).padStart(12)}${String(target.rows).padStart(12)}`;
    return `${counts}  ${source.sha256 === target.sha256 ? source.sha256.slice(0, 16) : 'DIFFERS'}`;
  });
  const head = `${'table'.padEnd(18)}${'source'.padStart(12)}${'target'.padStart(12)}  digest`;
  return `${[head, ...rows].join('\n')}\n`;
}

function secretNote(from: DatabaseAddress): string {
  const file = from.kind === 'sqlite' ? ` (without that setting: the content of ${secretFileOf(from.path)})` : '';
  return `The server on the target needs the GATEHOUSE_SECRET that the source had${file}.`;
}
