import type { Deps } from '../../services.ts';

const RANDOM_BYTES = 10;
const SEQUENCE_MODULUS = 0x1000000;

let sequence = 0;

/** A new id that sorts by time; ids of one process sort in the order in which they were made. */
export function orderedId({ clock, random }: Pick<Deps, 'clock' | 'random'>, prefix: string): string {
  sequence = (sequence + 1) % SEQUENCE_MODULUS;
  const order = clock.now().toString(16).padStart(8, '0') + sequence.toString(16).padStart(6, '0');
  return `${prefix}_${order}${random.bytes(RANDOM_BYTES).toString('hex')}`;
}
