import type { Capability } from '../capability.ts';
import type { Verb, WholeNoun } from '../operators/cli/noun.ts';
import { unique } from './tables.ts';

/** The nouns of the command line that the capabilities declare, with their verbs, in the order of help. No operation is loaded for them. */
export function nounsOf(declared: readonly Capability[]): ReadonlyMap<string, WholeNoun> {
  const nouns = declared.flatMap(owner =>
    Object.entries(owner.nouns ?? {}).map(([name, about]) => ({ name, owner, ...about })),
  );
  const unknown = declared.flatMap(onCommandLine).find(({ noun }) => !nouns.some(({ name }) => name === noun));
  if (unknown) throw new Error(`no capability declares the noun ${unknown.noun}`);
  const whole = nouns
    .sort((one, other) => one.order - other.order)
    .map(({ name, summary, owner }) => [name, { summary, verbs: verbsOf(name, owner, declared) }] as const);
  return unique('noun', whole);
}

type NamedVerb = readonly [name: string, verb: Verb];

function verbsOf(noun: string, owner: Capability, declared: readonly Capability[]): ReadonlyMap<string, Verb> {
  const verbs = [owner, ...declared.filter(each => each !== owner)]
    .flatMap(onCommandLine)
    .flatMap((own): NamedVerb[] => (own.noun === noun ? Object.entries(own.verbs) : []));
  const ordered = verbs.filter(([, { after }]) => after === undefined);
  for (const verb of verbs.filter(([, { after }]) => after !== undefined)) {
    ordered.splice(ordered.findIndex(([name]) => name === verb[1].after) + 1, 0, verb);
  }
  return unique(`verb of ${noun}`, ordered);
}

function onCommandLine({ operations = [] }: Capability) {
  return operations.flatMap(({ commandLine }) => commandLine ?? []);
}
