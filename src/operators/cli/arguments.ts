import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * parseArgs of Node.js, which takes an id that begins with a hyphen for an option. Ids are base64url, so that one in 64 does; no
 * option of ours has such a form.
 */
export function parseArguments<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  const { options = {} } = config;
  const { args, named } = separated(config.args ?? [], options);
  const read: Config = { ...config, args: named.length === 0 ? args : [...args, '--', ...named] };
  return parseArgs(read);
}

interface Separated {
  /** Options, each with its value. */
  readonly args: readonly string[];
  /** What is no option, in its order: a verb may name two objects. */
  readonly named: readonly string[];
}

function separated(all: readonly string[], options: Options): Separated {
  const end = all.indexOf('--');
  const before = end < 0 ? all : all.slice(0, end);
  const args: string[] = [];
  const named: string[] = [];
  for (let at = 0; at < before.length; at++) {
    const arg = before[at] ?? '';
    const value = before[at + 1];
    if (!arg.startsWith('-') || arg === STDIN || ID.test(arg)) named.push(arg);
    else if (value !== undefined && takesValue(arg, options) && !isOption(value, options)) {
      args.push(`${arg}=${value}`);
      at++;
    } else args.push(arg);
  }
  return { args, named: end < 0 ? named : [...named, ...all.slice(end + 1)] };
}

/** A file that is read from standard input. */
const STDIN = '-';

/** Not two hyphens: that may be a misspelt option, which must be told. */
const ID = /^-[\w][\w-]{7,}$/;

type Options = NonNullable<ParseArgsConfig['options']>;

function takesValue(arg: string, options: Options): boolean {
  return arg.startsWith('--') && options[arg.slice(2)]?.type === 'string';
}

function isOption(arg: string, options: Options): boolean {
  return arg.startsWith('--') && Object.hasOwn(options, arg.slice(2).split('=')[0] ?? '');
}
