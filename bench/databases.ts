import { Client } from 'pg';

/** A database of its own on the server, empty or a copy of another that nobody is connected to; its address. */
export async function createDatabase(server: string, name: string, copyOf?: string): Promise<string> {
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}${copyOf === undefined ? '' : ` TEMPLATE ${copyOf}`}`);
  await client.end();
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}
