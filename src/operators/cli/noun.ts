/** A noun of the commands over operations, `gatehouse <noun> <verb>`. Its verbs may come from several capabilities. */
export interface Noun {
  readonly summary: string;
  /** Help lists nouns from the smallest number on. */
  readonly order: number;
}

/**
 * A verb stands beside its operation (`onCommandLine`): it says which of the path parameters and body fields are plain arguments; every
 * other field of the body is an option (`client_name`: --client-name).
 */
export interface Verb<Id extends string = string> {
  /** Its id in the admin API. */
  readonly operation: Id;
  /** Path parameters or fields of the body, in the order of the arguments. */
  readonly arguments?: readonly string[];
  /** Path parameters that are options, by the name of the option. */
  readonly options?: Readonly<Record<string, string>>;
  /** A secret field that a person is asked for on a terminal. */
  readonly asks?: string;
  /** What follows `gatehouse <noun> <verb>` in its example, where it is more than the arguments. */
  readonly example?: string;
  /** The verb that it follows in help. Else the verbs of the capability with the noun come first, then those of the others. */
  readonly after?: string;
  /** Works without the secret of the server: for what an operator has to list and delete when it is lost. */
  readonly withoutSecret?: boolean;
}

/** A noun with the verbs of all capabilities. */
export interface WholeNoun {
  readonly summary: string;
  readonly verbs: ReadonlyMap<string, Verb>;
}
