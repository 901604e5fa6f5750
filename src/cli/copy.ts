import { DATABASE_FORMS, type DatabaseAddress, parseDatabaseAddress } from '../database-address.ts';
import { secretFileOf } from '../keys/secret-file.ts';
import { copy as copyStore, differences, type Verified } from '../store/copy.ts';
import { StoreUnavailable } from '../store/faults.ts';
import { openTransfer } from '../store/open-transfer.ts';
import { TransferRefused } from '../store/transfer.ts';
import { parseArguments } from './arguments.ts';
import type { Command } from './command.ts';
import { EXIT, exitCodeOf } from './exit.ts';
import { onWait } from './waiting.ts';

export const copy: Command = {
  summary: 'move everything to another store, as from SQLite to PostgreSQL',
  help: `Usage: gatehouse copy --from sqlite:PATH --to postgres://user:password@host/database

Copies applications, clients, keys, users, sessions, consents, codes and tokens into an empty database, then compares source and
target row by row. Each of them may be SQLite or PostgreSQL. DATABASE_URL is ignored. The source is only read.

Stop the server first: rows written to the source after the copy has begun are not copied. If the command detects such a write
(SQLite), it says so and exits 65. No server can start on the target before the copy is complete. After an interruption, run the
same command again: it continues where it stopped.

Signing keys stay sealed. The server on the target needs the GATEHOUSE_SECRET of the source. If a SQLite source has no such
setting, its secret is in the file gatehouse.secret beside the database.

Example: gatehouse copy --from sqlite:data/gatehouse.db --to postgres://gatehouse:password@db.example/gatehouse`,

  async run(args) {
    const ends = readOptions(args);
    if (!ends) {
      process.stderr.write(`${copy.help}\n`);
      return EXIT.usage;
    }
    const { from, to } = ends;
    if (!from || !to) {
      process.stderr.write(`${from ? '--to' : '--from'}: ${DATABASE_FORMS}\n`);
      return EXIT.usage;
    }
    try {
      return await copyBetween(from, to);
    } catch (error) {
      if (!(error instanceof StoreUnavailable || error instanceof TransferRefused)) throw error;
      process.stderr.write(`${error.message}\n`);
      return error instanceof TransferRefused ? EXIT.data : exitCodeOf(error);
    }
  },
};

type Ends = Readonly<Record<'from' | 'to', DatabaseAddress | undefined>>;

function readOptions(args: readonly string[]): Ends | undefined {
  try {
    const { from, to } = parseArguments({
      args: [...args],
      options: { from: { type: 'string' }, to: { type: 'string' } },
    }).values;
    if (from === undefined || to === undefined) return undefined;
    return { from: parseDatabaseAddress(from), to: parseDatabaseAddress(to) };
  } catch {
    return undefined;
  }
}

async function copyBetween(from: DatabaseAddress, to: DatabaseAddress): Promise<number> {
  const { source, target } = await openTransfer(from, to, onWait);
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const startedAt = new Date().toISOString();
  try {
    const outcome = await copyStore(source, target, say);
    if (outcome.kind === 'refused') {
      say(outcome.reason);
      return EXIT.data;
    }
    process.stdout.write(summary(outcome.verified));
    if (outcome.kind === 'differs') {
      for (const line of differences(outcome.verified)) say(line);
      say('The copy is not what the source is. If the source was written to since the copy began, begin again.');
      return EXIT.data;
    }
    process.stdout.write(`Both sides are equal, row by row. ${secretNote(from)}\n`);
    if (!outcome.writtenSince) return EXIT.ok;
    say(`The source was written to after ${startedAt}: that is not in the copy. Stop its server, and copy again.`);
    return EXIT.data;
  } finally {
    await target.close();
    await source.close();
  }
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
