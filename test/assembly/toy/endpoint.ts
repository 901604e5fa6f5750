import { json } from '../../../src/platform/http/message.ts';
import type { Endpoint } from '../../../src/services.ts';
import { guests } from './guests.ts';

export const readGuests: Endpoint = async (_services, _request, application) =>
  json({ application: application.code, guests: guests.names.slice(0, application.guests_shown) });

export const addGuest: Endpoint = async (_services, request) => {
  guests.names.push(request.form.get('name') ?? 'somebody');
  return json({ count: guests.names.length });
};
