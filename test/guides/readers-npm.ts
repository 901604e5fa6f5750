/** For guides that install from the registry: the reader's npm with its settings, its cache, and the certificates that Node.js trusts here. */
export function readersNpm(): Readonly<Record<string, string>> {
  const { HOME = '', NODE_EXTRA_CA_CERTS } = process.env;
  return { HOME, ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }), NEXT_TELEMETRY_DISABLED: '1' };
}
