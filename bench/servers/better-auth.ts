import type { Place, Started } from './place.ts';

export const BETTER_AUTH = 'better-auth';

export async function startBetterAuth(_place: Place, _tokens: number, _codes: number): Promise<Started> {
  throw new Error('later');
}
