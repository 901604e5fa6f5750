import { COMMAND_LINE } from '../admin/caller.ts';
import type { Operation } from '../admin/operation.ts';
import { operations } from '../admin/operations.ts';
import type { Outcome } from '../admin/outcome.ts';
import { type Forbidden, type Input, perform } from '../admin/perform.ts';
import type { OperationId } from '../admin/routes.ts';
import type { Services } from '../services.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit.ts';
import type { Noun, Verb } from './nouns.ts';
import { type Arguments, readArguments } from './operation-arguments.ts';
import { printResult } from './print-result.ts';
import { withServices } from './with-services.ts';

/** `gatehouse <noun> <verb>` over the operations of admin/: reads the arguments, runs the operation, prints what it returns. */
export function operationCommand(name: string, noun: Noun): Command {
  const help = helpOf(name, noun);
  return {
    summary: noun.summary,
    help,
    async run([verbName = '', ...args], env) {
      const verb = Object.hasOwn(noun.verbs, verbName) ? noun.verbs[verbName] : undefined;
      const read = verb && (await readArguments(verb, args));
      if (!verb || !read || read.kind === 'faulty') {
        process.stderr.write(`${read?.kind === 'faulty' ? read.fault : help}\n`);
        return EXIT.usage;
      }
      return withServices(env, services => runVerb(services, verb, read), {
        skipSecretCheck: verb.withoutSecret ?? false,
      });
    },
  };
}

async function runVerb(services: Services, verb: Verb, { input, json }: Arguments): Promise<number> {
  const outcome = await performOnCommandLine(services, verb.operation, input);
  if (outcome.kind === 'done') {
    process.stdout.write(printResult(outcome.value, json));
    return EXIT.ok;
  }
  process.stderr.write(`${problemText(outcome, Object.values(input.params).join('/'))}\n`);
  return EXIT.data;
}

export function performOnCommandLine(services: Services, id: OperationId, input: Input): Promise<Performed> {
  const operation: Operation = operations[id];
  const context = { services, caller: COMMAND_LINE, origin: {}, ifMatch: undefined };
  return everyPage(input, query => perform(operation, context, { ...input, query }));
}

type Performed = Outcome<unknown> | Forbidden;
type Page = { readonly items: readonly unknown[]; readonly next: string | null };

const PAGE_SIZE = '200';

/** A list is printed as a whole, unless --limit or --cursor asks for a page. */
async function everyPage({ query }: Input, run: (query: Input['query']) => Promise<Performed>): Promise<Performed> {
  if ('limit' in query || 'cursor' in query) return run(query);
  const first = await run(query);
  if (first.kind !== 'done' || !isPage(first.value)) return first;
  const items = [...first.value.items];
  for (let { next } = first.value; next !== null; ) {
    const page = await run({ ...query, limit: PAGE_SIZE, cursor: next });
    if (page.kind !== 'done' || !isPage(page.value)) return page;
    items.push(...page.value.items);
    next = page.value.next;
  }
  return { kind: 'done', value: { items, next: null } };
}

function isPage(value: unknown): value is Page {
  return typeof value === 'object' && value !== null && 'items' in value;
}

function problemText(problem: Exclude<Performed, { kind: 'done' }>, object: string): string {
  switch (problem.kind) {
    case 'unknown':
      return `there is no such ${problem.what}: ${object}`;
    case 'conflict':
      return problem.detail;
    case 'invalid':
      return problem.errors.map(({ pointer, detail }) => `${optionName(pointer)}: ${detail}`).join('\n');
    case 'changed':
    case 'forbidden':
    case 'alreadyAnswered':
      return problem.kind;
  }
}

function optionName(pointer: string): string {
  return `--${pointer.slice(1).replaceAll('_', '-')}`;
}

function helpOf(name: string, { summary, verbs }: Noun): string {
  const lines = Object.entries(verbs).map(([verb, one]) => `  ${usageOf(name, verb, one)}`);
  const examples = Object.values(verbs).map(({ example }) => `  ${example}`);
  return [
    `Usage: gatehouse ${name} <verb> [options]: ${summary}`,
    '',
    ...lines,
    '',
    'Every field of the object is an option: client_name is --client-name. A secret is read from standard input, without the newline',
    'at its end: --password-stdin, --password-hash-stdin, --client-secret-stdin. --json prints one JSON document. Examples:',
    '',
    ...examples,
  ].join('\n');
}

function usageOf(noun: string, verb: string, { arguments: named = [], options = {} }: Verb): string {
  const parts = [
    ...Object.keys(options).map(option => `--${option} ${option.toUpperCase()}`),
    ...named.map(each => each.toUpperCase()),
  ];
  return [noun, verb, ...parts].join(' ');
}
