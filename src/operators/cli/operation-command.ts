import type { Command, CommandContext } from './command.ts';
import { EXIT } from './exit.ts';
import type { Verb, WholeNoun } from './noun.ts';
import { type Arguments, readArguments } from './operation-arguments.ts';
import type { Performed } from './perform.ts';
import { printResult } from './print-result.ts';
import { type Perform, withOperations } from './with-operations.ts';

/** `gatehouse <noun> <verb>` over operations: reads the arguments, runs the operation, prints what it returns. */
export function operationCommand(name: string, noun: WholeNoun): Command {
  const help = helpOf(name, noun);
  return {
    help,
    worksRemotely: true,
    async run([verbName = '', ...args], context) {
      const verb = noun.verbs.get(verbName);
      const operation = verb && (await context.operations.find(verb.operation));
      const read = operation && (await readArguments(verb, operation, args, context));
      if (!operation || !read || read.kind === 'faulty') {
        context.stderr.write(`${read?.kind === 'faulty' ? read.fault : help}\n`);
        return EXIT.usage;
      }
      return withOperations(context, perform => runVerb(perform, verb.operation, read, context), {
        skipSecretCheck: verb.withoutSecret ?? false,
      });
    },
  };
}

async function runVerb(
  perform: Perform,
  operation: string,
  { input, json }: Arguments,
  { stdout, stderr }: CommandContext,
): Promise<number> {
  const outcome = await perform(operation, input);
  if (outcome.kind === 'done') {
    stdout.write(printResult(outcome.value, json));
    return EXIT.ok;
  }
  stderr.write(`${problemText(outcome, Object.values(input.params).join('/'))}\n`);
  return EXIT.data;
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

function helpOf(name: string, { summary, verbs }: WholeNoun): string {
  const lines = [...verbs].map(([verb, one]) => `  ${usageOf(name, verb, one)}`);
  const examples = [...verbs].map(([verb, { example, arguments: named = [] }]) =>
    ['  gatehouse', name, verb, ...(example === undefined ? named.map(each => each.toUpperCase()) : [example])].join(
      ' ',
    ),
  );
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
