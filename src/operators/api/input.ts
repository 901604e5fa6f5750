import { z } from 'zod';

/** Schemas for the input of operations that are the same for several kinds of objects. */
export const noParams = z.object({});
export const subParam = z.object({ sub: z.string() });
export const noQuery = z.strictObject({});
export const noBody = z.undefined();
/** Of an action that takes no fields. */
export const emptyBody = z.strictObject({}).optional();
