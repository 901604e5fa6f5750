import { z } from 'zod';
import { outsideRequest } from '../../platform/store/request-time.ts';
import { operation } from '../api/operation.ts';
import { done, invalid } from '../api/outcome.ts';
import { isOwner } from '../roles/store.ts';
import { sources, toEntry } from './entries.ts';
import { importTo } from './import-file.ts';
import { faultsOf, type ImportTarget, isRefused, type Line, type LineOutcome } from './import-users.ts';
import type { FileRecord } from './records.ts';
import { SOURCE_NAMES } from './source-names.ts';

/** /users/import: a part of a file of users (docs/guides/import-users.md). */

const MAX_LINES = 1000;

const record = z.strictObject({
  line: z.int().min(0).meta({ description: 'For the answer.' }),
  form: z.enum(['csv', 'json']).default('json').meta({ description: 'csv: every value is a text.' }),
  kind: z.literal('read').default('read'),
  fields: z
    .record(z.string(), z.unknown())
    .meta({ description: 'Of a user in the apply file, or of the export of another system.' }),
});

const body = z.strictObject({
  lines: z.array(record).max(MAX_LINES, `must have at most ${MAX_LINES} entries`),
  from: z.enum(SOURCE_NAMES).optional().meta({ description: 'The system that the fields are an export of.' }),
  update: z.boolean().default(false).meta({ description: 'Change users that exist. For owners.' }),
  reset_passwords: z.boolean().default(false).meta({ description: 'With update: set their passwords too.' }),
  dry_run: z.boolean().default(false).meta({ description: 'Check the lines, write nothing.' }),
});
type Body = z.output<typeof body>;

const result = z.object({
  outcomes: z.array(
    z.object({
      line: z.int(),
      kind: z.enum(['created', 'updated', 'present', 'refused']),
      faults: z.array(z.string()).optional(),
    }),
  ),
});

export const importUsers = operation({
  summary:
    'Add users of another system, up to 1000 at once. Those that exist stay as they are; what has a fault is left out.',
  role: 'operator',
  reach: 'deployment',
  body,
  result,
  status: 200,
  example: { lines: [{ line: 1, fields: { username: 'alice', email: 'alice@example.com' } }], dry_run: true },
  async run(context, { body: given }) {
    // An operator must not become an owner by changing the account of one.
    if (given.update && !isOwner(context.caller)) return invalid('/update', 'only an owner changes users by an import');
    const target = await importTo(context.services, { actor: context.caller.actor, ...context.origin });
    const read = given.lines.map(({ line, ...content }) => readLine(target, given, { line, content }));
    const lines = read.flatMap(each => ('entry' in each ? [each] : []));
    const outcomes = await outsideRequest(() => (given.dry_run ? target.check(lines) : target.write(lines)));
    const byLine = new Map(lines.map((each, index) => [each, outcomes[index]] as const));
    return done({
      outcomes: read.map(each =>
        'entry' in each ? { line: each.line, ...viewOf(byLine.get(each)) } : { ...each, kind: 'refused' as const },
      ),
    });
  },
});

function readLine(
  target: ImportTarget,
  { from, update, reset_passwords: resetPasswords }: Body,
  line: FileRecord,
): Line | { readonly line: number; readonly faults: string[] } {
  const source = from === undefined ? undefined : sources[from];
  const read = toEntry(target, line, { source, update, resetPasswords: update && resetPasswords });
  return read.kind === 'entry' ? read : { line: read.line, faults: [...read.faults] };
}

function viewOf(outcome: LineOutcome | undefined) {
  if (!outcome) throw new Error('the store has not answered for every line');
  return isRefused(outcome) ? { kind: 'refused' as const, faults: [...faultsOf(outcome)] } : { kind: outcome.kind };
}
