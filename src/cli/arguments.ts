import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * parseArgs of Node.js, which takes an id that begins with a hyphen for an option. Ids are base64url, so that one in 64 does; no
 * option of ours has such a form.
 */
export function parseArguments<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  const { args = [], options = {} } = config;
  const joined: string[] = [];
  const ids: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    const takesValue = arg.startsWith('--') && options[arg.slice(2)]?.type === 'string';
    const value = args[at + 1];
    if (takesValue && value?.startsWith('-') && !isOption(value, options)) {
      joined.push(`${arg}=${value}`);
      at++;
    } else if (ID.test(arg)) ids.push(arg);
    else joined.push(arg);
  }
  const read: Config = { ...config, args: ids.length === 0 ? joined : [...joined, '--', ...ids] };
  return parseArgs(read);
}

/** Not two hyphens: that may be a misspelt option, which must be told. */
const ID = /^-[\w][\w-]{7,}$/;

function isOption(arg: string, options: NonNullable<ParseArgsConfig['options']>): boolean {
  return arg.startsWith('--') && Object.hasOwn(options, arg.slice(2).split('=')[0] ?? '');
}
