import { guests } from './guests.ts';

export async function countGuests(): Promise<void> {
  guests.counted = guests.names.length;
}
