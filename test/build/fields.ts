import { commandTables } from '../../src/assembly/tables.ts';

/** The settings of clients and applications that the capabilities of the product declare. */
export const fields = await commandTables().fields();
