import { z } from 'zod';

/** A time in answers: ISO 8601 in UTC, whole seconds. */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

export const timeField = z.string().meta({ format: 'date-time' });

/** A time in requests. */
export const givenTime = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2027-01-31T12:00:00Z' })
  .transform(text => Math.floor(Date.parse(text) / 1000));
