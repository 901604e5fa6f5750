import { json } from '../../../src/platform/http/message.ts';
import type { Endpoint } from '../../../src/services.ts';
import { coldGuests } from './queries.ts';

const STAY_SECONDS = 3600;

export const readGuests: Endpoint = async ({ store }, _request, application) => {
  const names = await coldGuests(store.cold).names();
  return json({ application: application.code, guests: names.slice(0, application.guests_shown) });
};

export const addGuest: Endpoint = async ({ store, clock }, { id, form }) => {
  const guests = coldGuests(store.cold);
  await guests.add(id, form.get('name') ?? 'somebody', clock.now() + STAY_SECONDS);
  return json({ count: (await guests.names()).length });
};
