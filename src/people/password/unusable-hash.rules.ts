export interface Unusable {
  readonly kind: 'unusable';
  /** Continues "the hash …". */
  readonly reason: string;
}

export function unusable(reason: string): Unusable {
  return { kind: 'unusable', reason };
}
