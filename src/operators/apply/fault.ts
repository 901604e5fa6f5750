/** What is wrong with a file, found by comparing it with the store. */
export interface Fault {
  /** Of the field, such as `['users', 0, 'email']`. Undefined: of no place in a file. */
  readonly path?: readonly PropertyKey[] | undefined;
  readonly message: string;
  /** Another place, which ends the message. */
  readonly other?: readonly PropertyKey[] | undefined;
}

/** A place as faults name it, such as `applications[0].clients[1].redirect_uris[0]`. */
export function placeOf(path: readonly PropertyKey[]): string {
  const text = path.map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return text === '' ? 'file' : text.replace(/^\./, '');
}
