import { loadSchema, type Operation } from '../api/operation.ts';
import type { Input } from '../api/perform.ts';
import { type Field, fieldsOf, parseField } from '../api/schema-fields.ts';
import { parseArguments } from './arguments.ts';
import type { CommandContext, CommandTools } from './command.ts';
import type { Verb } from './noun.ts';
import { askSecret, isTerminal, readSecret } from './secret-input.ts';

/** Fields whose value is not an option: each is read from standard input with --NAME-stdin. */
export const SECRETS = [
  ...['password', 'password_hash', 'totp_secret', 'client_secret'],
  ...['bind_password', 'signing_secret', 'private_keys'],
];

export interface Arguments {
  readonly kind: 'read';
  readonly input: Input;
  readonly json: boolean;
}

interface FaultyArguments {
  readonly kind: 'faulty';
  readonly fault: string;
}

/** Undefined: the arguments do not fit the verb. */
export async function readArguments(
  verb: Verb,
  operation: Operation,
  args: readonly string[],
  context: CommandContext & Pick<CommandTools, 'fields'>,
): Promise<Arguments | FaultyArguments | undefined> {
  const params = fieldsOf(operation.params);
  const query = fieldsOf(await loadSchema<unknown>(operation.query, context));
  const isParam = ({ name }: Field) => params.some(param => param.name === name);
  const body = fieldsOf(await loadSchema<unknown>(operation.changes ?? operation.body, context)).filter(
    field => !isParam(field),
  );
  const named = verb.arguments ?? [];
  const isOption = ({ name }: Field) => !named.includes(name) && !Object.values(verb.options ?? {}).includes(name);
  const fields = [...query, ...body].filter(isOption);
  const secrets = fields.filter(({ name }) => SECRETS.includes(name));
  const shown = secrets.find(field => args.some(arg => arg.split('=')[0] === `--${optionOf(field)}`));
  if (shown) return { kind: 'faulty', fault: inProcessList(optionOf(shown)) };
  const texts = fields.filter(field => !secrets.includes(field)).map(optionOf);
  const parsed = parse(args, [...texts, ...Object.keys(verb.options ?? {})], secrets.map(stdinOptionOf));
  if (!parsed || parsed.positionals.length !== named.length) return undefined;

  const given = new Map<string, readonly string[]>(
    named.map((name, index) => [name, [parsed.positionals[index] ?? '']]),
  );
  for (const [option, name] of Object.entries(verb.options ?? {})) given.set(name, parsed.values[option] ?? []);
  for (const field of fields) given.set(field.name, parsed.values[optionOf(field)] ?? []);
  const secret = await secretOf(verb, secrets, parsed.flags, context);
  if (secret?.kind === 'faulty') return secret;
  const missing = params.find(({ name }) => given.get(name)?.length !== 1);
  if (missing) return undefined;
  const first = (some: readonly Field[]) =>
    Object.fromEntries(
      some.flatMap(({ name }) => (given.get(name)?.length ? [[name, given.get(name)?.[0] ?? '']] : [])),
    );
  const value = bodyOf(body, given, secret);
  const json = parsed.flags.includes('json');
  return { kind: 'read', input: { params: first(params), query: first(query), body: value }, json };
}

interface Secret {
  readonly kind: 'secret';
  readonly name: string;
  readonly value: string;
}

/** There is one standard input, so there is one secret. */
async function secretOf(
  { asks }: Verb,
  secrets: readonly Field[],
  flags: readonly string[],
  { stdin, stderr }: CommandContext,
): Promise<Secret | FaultyArguments | undefined> {
  const [from, another] = secrets.filter(field => flags.includes(stdinOptionOf(field)));
  if (another) return { kind: 'faulty', fault: 'only one secret can be read from standard input' };
  if (from) return { kind: 'secret', name: from.name, value: await readSecret(stdin) };
  if (asks === undefined) return undefined;
  if (!isTerminal(stdin)) return { kind: 'faulty', fault: `--${asks}-stdin is needed: there is no terminal to ask on` };
  const value = await askSecret(asks, stdin, stderr);
  if (value === undefined) return { kind: 'faulty', fault: `the same ${asks} was not typed twice` };
  return { kind: 'secret', name: asks, value };
}

function inProcessList(option: string): string {
  return `--${option} would show the secret in the list of processes: use --${option}-stdin`;
}

function stdinOptionOf(field: Field): string {
  return `${optionOf(field)}-stdin`;
}

function bodyOf(
  fields: readonly Field[],
  given: ReadonlyMap<string, readonly string[]>,
  secret: Secret | undefined,
): unknown {
  const members = fields.flatMap(field => {
    const values = given.get(field.name) ?? [];
    return values.length === 0 ? [] : [[field.name, parseField(field, values)] as const];
  });
  if (secret) members.push([secret.name, secret.value]);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

function optionOf({ name }: Field): string {
  return name.replaceAll('_', '-');
}

function parse(args: readonly string[], options: readonly string[], flags: readonly string[]) {
  try {
    const flag = (name: string) => [name, { type: 'boolean' }] as const;
    const text = (name: string) => [name, { type: 'string', multiple: true }] as const;
    const { values, positionals } = parseArguments({
      args: [...args],
      allowPositionals: true,
      options: { ...Object.fromEntries(options.map(text)), ...Object.fromEntries([...flags, 'json'].map(flag)) },
    });
    const given = Object.keys(values).filter(name => flags.includes(name) || name === 'json');
    return { values: values as Record<string, string[] | undefined>, flags: given, positionals };
  } catch {
    return undefined;
  }
}
