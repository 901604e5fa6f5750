import type { Deps } from '../deps.ts';
import type { Event } from '../protocol/event.ts';

const RANDOM_BYTES = 10;
const SEQUENCE_MODULUS = 0x1000000;

let sequence = 0;

/** Gives an event its id and time. Ids sort by time, and those of one process in the order of their making. */
export function newEvent({ clock, random }: Pick<Deps, 'clock' | 'random'>, event: Omit<Event, 'id' | 'time'>): Event {
  const time = clock.now();
  sequence = (sequence + 1) % SEQUENCE_MODULUS;
  const order = time.toString(16).padStart(8, '0') + sequence.toString(16).padStart(6, '0');
  return { ...event, id: `evt_${order}${random.bytes(RANDOM_BYTES).toString('hex')}`, time };
}
