/** What the toy remembers, in memory: its tests are about the tables of the product, not about the store. */
export const guests = { names: [] as string[], counted: 0 };
